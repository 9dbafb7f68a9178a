import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { createProgram } from '../../../cli/program';
import { KEEPER_METRICS } from '../../../ledger/log/keeper-metrics';
import { METRICS } from '../../../worker/observing/metrics-table';
import { ROOT, pagesUnder } from '../../support/docs/snippets';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Returns each `paysession …` command of a page, from inline code and from code blocks. */
function commandsIn(page: string): string[] {
  const inline = read(page).matchAll(/`(?:[A-Z_]+=\S+ )*paysession ([^`\n]+)`/g);
  const blocks = read(page).matchAll(/^ *(?:[A-Z_]+=\S+ )*paysession ([^\n]+)$/gm);
  return [...inline, ...blocks].map(([, words = '']) => words);
}

/** Splits a line into words, as a shell does. */
const wordsOf = (line: string): string[] =>
  Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');

/** Returns the error with which the program refuses a command line, or `undefined` if the arguments are valid. */
function refusalOf(line: string): string | undefined {
  const program = quiet(createProgram());
  try {
    program.parse(wordsOf(line), { from: 'user' });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Replaces the actions of a command and its subcommands, so that parsing runs and prints nothing. Returns the command. */
function quiet(command: Command): Command {
  command.configureOutput({ writeErr: () => undefined, writeOut: () => undefined }).exitOverride();
  if (command.commands.length === 0) command.action(() => undefined);
  command.commands.forEach(quiet);
  return command;
}

const PAGES = pagesUnder('docs/guides').filter((page) =>
  /(runbook|operations|deploy|encryption)\.md$/.test(page),
);
const commands = PAGES.flatMap((page) => commandsIn(page).map((command) => ({ page, command })));

describe('in the pages for operators, the check of commands', () => {
  test.each(commands)('accepts paysession $command ($page)', ({ command }) => {
    expect(refusalOf(command)).toBeUndefined();
  });

  test('refuses a command or an option that does not exist', () => {
    expect(refusalOf('resolv KEY')).toContain('unknown command');
    expect(refusalOf('resolve KEY --repeat')).toContain('unknown option');
    expect(refusalOf('state')).toContain('missing required argument');
    expect(commands.length).toBeGreaterThan(15);
  });
});

test('all metrics that the pages for operators name exist', () => {
  const named = PAGES.flatMap((page) =>
    Array.from(read(page).matchAll(/`(paysession_\w+)`/g), ([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(4);
  const all = [...METRICS, ...Object.values(KEEPER_METRICS)].map(({ name }) => name);
  expect(all).toEqual(expect.arrayContaining(named));
});

interface AlertRules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly annotations: { readonly runbook_url: string };
    }[];
  }[];
}

describe('the runbook', () => {
  const { groups } = parse(read('deploy/prometheus/alerts.yml')) as AlertRules;
  const rules = groups.flatMap((group) => group.rules);
  const sections = Array.from(read('docs/guides/runbook.md').matchAll(/^## (\w+)$/gm), ([, name]) => name);

  test('has one section for each alert, and each alert links to its section', () => {
    expect([...sections].sort()).toEqual(rules.map(({ alert }) => alert).sort());
    for (const { alert, annotations } of rules)
      expect(annotations.runbook_url).toMatch(
        new RegExp(`^https://.*/docs/guides/runbook\\.md#${alert.toLowerCase()}$`),
      );
  });

  test.each(sections)('explains for the alert %s what it means, what to check and what to do', (name) => {
    const [, section = ''] = read('docs/guides/runbook.md').split(`## ${name}\n`);
    const text = section.split('\n## ')[0] ?? '';
    for (const part of ['What it means.', 'What to check.', 'What to do.'])
      expect(text).toContain(`**${part}**`);
  });
});
