import { type Argument, Command, type Option } from 'commander';
import { withConnection } from '../../src/cli/families/options.ts';
import type { Output } from '../../src/cli/output.ts';
import { createProgram } from '../../src/cli/run.ts';

/** Options of every command that connects to something; the page explains them once. */
const shared: ReadonlySet<string> = new Set(withConnection(new Command()).options.map(({ flags }) => flags));

/** The commands of the command line with all their arguments and options, as sections of a page. */
export function commandSections(): string {
  const program = createProgram({} as Output);
  const global = `Options of every command:\n\n${optionTable(program.options)}`;
  return [global, ...program.commands.flatMap((command) => sections(command, 'a2a-gateway'))].join('\n');
}

/** The section of a command, or those of its subcommands. */
function sections(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((each) => sections(each, name));
  const described = sentence(command.description());
  const usage = `\`\`\`text\n${name} ${command.usage()}\n\`\`\``;
  const parts = [`### ${name.replace(/^a2a-gateway /, '')}`, described, usage];
  if (command.registeredArguments.length > 0) parts.push(argumentTable(command.registeredArguments));
  const options = command.options.filter(({ hidden, flags }) => !hidden && !shared.has(flags));
  if (options.length > 0) parts.push(optionTable(options));
  if (command.options.some(({ flags }) => shared.has(flags))) {
    parts.push('It also has the options for credentials, headers and TLS of [connections](#connections).');
  }
  return [`${parts.map((part) => part.trimEnd()).join('\n\n')}\n`];
}

const argumentTable = (args: readonly Argument[]): string =>
  table(
    'argument',
    args.map((argument) => [
      `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`,
      described(argument.description, argument.argChoices, argument.defaultValue),
    ]),
  );

const optionTable = (options: readonly Option[]): string =>
  table(
    'option',
    options.map((option) => [
      option.flags,
      described(option.description, option.argChoices, option.defaultValue) + (option.mandatory ? '; required' : ''),
    ]),
  );

/** A description with the values to choose from, and the default. */
function described(text: string, choices: readonly string[] | undefined, fallback: unknown): string {
  const parts = [text];
  if (choices !== undefined && choices.length > 0)
    parts.push(`one of ${choices.map((value) => `\`${value}\``).join(', ')}`);
  if (fallback !== undefined && !Array.isArray(fallback)) parts.push(`default \`${String(fallback)}\``);
  return parts.filter((part) => part !== '').join('; ');
}

function table(what: string, rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([name, text]) => `| \`${name.replaceAll('|', '\\|')}\` | ${plain(text)} |\n`);
  return `| ${what} | |\n| --- | --- |\n${lines.join('')}`;
}

/** Text in a cell: names in angle brackets are no HTML. */
const plain = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${plain(text.slice(1))}.`;
