import type { Text } from '../../web/texts';

/** What something means, and what a person should do. */
export type Explained = Readonly<Record<'meaning' | 'remedy', Text>>;

/** The French of what `src` says in English; or both, where a page has other words than the command line. */
export type French = string | Text;

/** A row of `src`, which is in English, in all languages. */
export function besideEnglish(
  english: Readonly<Record<'meaning' | 'remedy', string>>,
  { meaning, remedy }: Readonly<Record<'meaning' | 'remedy', French>>,
): Explained {
  return { meaning: both(english.meaning, meaning), remedy: both(english.remedy, remedy) };
}

const both = (english: string, french: French): Text =>
  typeof french === 'string' ? { EN: english, FR: french } : french;
