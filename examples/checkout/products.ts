import { html, type Html } from './html';
import { LOCALES, type Language, type Text } from './language';

export interface Product {
  /** 1 to 12 lower-case letters. An order's id contains this. */
  readonly id: string;
  readonly name: Text;
  readonly description: Text;
  /** In dollars. */
  readonly price: number;
  readonly picture?: Html;
}

export const PRODUCTS: readonly Product[] = [
  {
    id: 'lamp',
    name: { EN: 'Desk lamp', FR: 'Lampe de bureau' },
    description: {
      EN: 'Maple and brass, with a warm light that dims.',
      FR: 'Érable et laiton, avec une lumière chaude à intensité variable.',
    },
    price: 25,
    picture: html`<svg viewBox="0 0 120 90" aria-hidden="true" focusable="false">
      <rect width="120" height="90" fill="#f3e7d3" />
      <path d="M38 30 60 12l22 18Z" fill="#b4632a" />
      <path d="M42 30h36l12 34H30Z" fill="#fdf6df" />
      <path d="M58 30h4v40h-4z" fill="#8a5a2b" />
      <rect x="42" y="68" width="36" height="6" rx="3" fill="#8a5a2b" />
    </svg>`,
  },
  {
    id: 'mug',
    name: { EN: 'Stoneware mug', FR: 'Tasse en grès' },
    description: {
      EN: 'Glazed by hand, for coffee or for pencils.',
      FR: 'Émaillée à la main, pour le café ou pour les crayons.',
    },
    price: 18.5,
    picture: html`<svg viewBox="0 0 120 90" aria-hidden="true" focusable="false">
      <rect width="120" height="90" fill="#dfe9e6" />
      <path d="M76 34h8a12 12 0 0 1 0 24h-8" fill="none" stroke="#2f6f67" stroke-width="6" />
      <path d="M36 24h42v38a10 10 0 0 1-10 10H46a10 10 0 0 1-10-10Z" fill="#2f6f67" />
      <path d="M36 34h42v8H36z" fill="#f4f1e6" />
    </svg>`,
  },
];

/** Formats dollars in the style of the reader's language. */
export const formatPrice = (price: number, language: Language): string =>
  price.toLocaleString(LOCALES[language], { style: 'currency', currency: 'CAD' });
