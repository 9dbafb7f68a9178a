import type { SandboxSession } from './session';

type Language = 'EN' | 'FR';

const TEXTS = {
  EN: {
    title: 'Payment',
    to: 'To account',
    amount: 'Amount',
    over: 'This session is over.',
    placeholder: 'This sandbox plays the payor: choose a scenario by the session’s reference.',
  },
  FR: {
    title: 'Paiement',
    to: 'Compte de destination',
    amount: 'Montant',
    over: 'Cette session est terminée.',
    placeholder: 'Ce bac à sable joue le payeur : choisissez un scénario par la référence de la session.',
  },
} as const satisfies Record<Language, Record<string, string>>;

/** The page of an open session. */
export function flowPage({ options, state, toAccount }: SandboxSession): string {
  const { language } = options.notificationPreferences;
  const text = TEXTS[language];
  const lines = [
    ...(toAccount === null ? [] : [`${text.to}: ${toAccount}`]),
    ...(state.amount === null ? [] : [`${text.amount}: ${state.amount.toFixed(2)} CAD`]),
    text.placeholder,
  ];
  return page(language, text.title, lines);
}

/** The page of an ended session, or in both languages of one that there is not (contract A62). */
export function overPage(language?: Language): string {
  const languages = language === undefined ? (['EN', 'FR'] as const) : [language];
  return page(
    languages[0],
    languages.map((each) => TEXTS[each].title).join(' / '),
    languages.map((each) => TEXTS[each].over),
  );
}

function page(language: Language, title: string, lines: readonly string[]): string {
  return [
    '<!doctype html>',
    `<html lang="${language.toLowerCase()}">`,
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(title)}</title></head>`,
    `<body><h1>${escapeHtml(title)}</h1>`,
    ...lines.map((line) => `<p>${escapeHtml(line)}</p>`),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
