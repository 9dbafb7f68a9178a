import type { Language } from '../../../web/language';
import type { FlowTexts } from './texts';
import { EN } from './texts-en';
import { FR } from './texts-fr';

const TEXTS: Readonly<Record<Language, FlowTexts>> = { EN, FR };

export const textsOf = (language: Language): FlowTexts => TEXTS[language];
