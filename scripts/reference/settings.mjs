import settings from '../../dist/src/settings/index.js';
import { code, page, table } from './markdown.mjs';

const { SETTINGS } = settings;

const subjects = [...new Set(SETTINGS.map(({ subject }) => subject))];

export const settingsPage = page(
  'Settings',
  'Environment variables, read by the command line and by `paysession worker`. Empty ones count as unset. One line break at the end is cut, from a variable and from a file of secrets; other control characters are refused. Files are UTF-8, with or without a byte order mark. `paysession doctor` shows what is set and what is wrong. Temporal’s own settings are those of its `@temporalio/envconfig`, where the environment wins over the profile’s file.',
  ...subjects.flatMap((subject) => [
    `## ${subject}`,
    table(
      SETTINGS.filter((setting) => setting.subject === subject),
      [
        ['Setting', ({ name }) => code(name)],
        ['Default', (setting) => code(setting.default)],
        ['Meaning', ({ meaning, secret }) => (secret ? `${meaning} Never shown.` : meaning)],
      ],
    ),
  ]),
);
