import { code, page, table } from './markdown.mjs';
import { typesOf } from './types.mjs';

const types = typesOf('src/protocol/policy.ts');

export const policyPage = page(
  'Policy',
  `\`policy\` of a session’s input. ${types.docOf('SessionPolicy')} A \`Duration\` is milliseconds, or text such as \`'90s'\`, \`'15m'\`, \`'2h'\`, \`'5d'\`, from 0 to 366 days.`,
  table(types.fieldsOf('SessionPolicy'), [
    ['Field', ({ name }) => code(name)],
    ['Type', ({ type }) => code(type)],
    ['Default', ({ default: value }) => (/^\S+$/.test(value) ? code(value) : value)],
    ['Meaning', ({ doc }) => doc],
  ]),
);
