import type { Language } from '../../../web/language';
import type { Texts } from './texts';
import { EN } from './texts-en';
import { FR } from './texts-fr';

const TEXTS: Readonly<Record<Language, Texts>> = { EN, FR };

export const textsOf = (language: Language): Texts => TEXTS[language];
