import { Argument, type Command, Option } from 'commander';
import { bindings } from '../../client/bindings.ts';
import { fieldTexts, summaries } from '../../gen/admin-v1/help.ts';
import { operations } from '../../gen/admin-v1/operations.ts';
import type { Field } from '../../gen/api.ts';
import { defaultGateway, fieldsOf, isArgument, wordsOf } from '../admin-fields.ts';
import type { Output } from '../output.ts';
import { example, integer, lazy, repeated, withConnection } from './options.ts';

const kebab = (name: string): string => name.replace(/(?!^)([A-Z])/g, '-$1').toLowerCase();

/** Converts a sentence to the style of the command line: without a capital and a full stop. */
const phrase = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`.replace(/\.$/, '');

/** Returns a text addressed to the user: "Approves or refuses a card." becomes "approve or refuse a card". */
const order = (text: string): string => phrase(text).replace(/(^\w+|, \w{4,}|\bor \w{4,})s\b/g, '$1');

function optionOf(field: Field, text: string): Option {
  const { jsonName, kind, type, repeated: isList, required } = field;
  const name = `--${kebab(jsonName)}`;
  const option = ((): Option => {
    if (kind === 'enum') return choiceOf(`${name} <word>`, text, Object.keys(wordsOf(type)), isList);
    if (kind === 'timestamp') return new Option(`${name} <time>`, text);
    if (kind === 'struct') return new Option(`${name} <json>`, `${text} (JSON, or a text; may be repeated)`);
    if (type === 'bool') return new Option(name, text);
    if (type === 'uint32' || type === 'int32')
      return new Option(`${name} <n>`, text).argParser(integer(0, type === 'int32' ? 2 ** 31 - 1 : 2 ** 32 - 1));
    return new Option(`${name} <text>`, isList ? `${text} (may be repeated)` : text);
  })();
  if (isList && kind !== 'enum') option.argParser(repeated);
  return option.makeOptionMandatory(required === true);
}

/** Creates an option for one of these words, or for several. */
function choiceOf(flags: string, text: string, words: readonly string[], isList: boolean | undefined): Option {
  const option = new Option(flags, isList ? `${text} (may be repeated)` : text).choices(words);
  const check = option.parseArg;
  if (isList && check) {
    option.argParser<readonly string[]>((word, before) => repeated(String(check(word, undefined)), before));
  }
  return option;
}

export function addAdmin(program: Command, output: Output): void {
  const admin = program.command('admin').description('inspect and control a running gateway through its admin service');
  for (const { name, request } of operations) {
    const texts = fieldTexts[request] ?? {};
    const command = withGateway(admin.command(kebab(name))).description(order(summaries[name]));
    for (const field of fieldsOf(request)) {
      const text = phrase(texts[field.jsonName] ?? '');
      if (isArgument(field)) command.addArgument(new Argument(`<${field.jsonName}>`, text));
      else command.addOption(optionOf(field, text));
    }
    withGatewayTarget(command);
    const run = lazy(() => import('../commands/admin.ts'), 'admin', output);
    command.action((...args: readonly unknown[]) => run(name, ...args));
  }
  admin.addHelpText(
    'after',
    example(
      'admin find-tasks --states working',
      'admin set-agent-mode weather --mode draining',
      'admin stop-caller key:alice --reason "the key was stolen"',
      'admin register-agent weather https://weather.example.com --lease-seconds 60',
      'admin follow-task 01a2b3c4-… https://agents.example.com --api-key …',
    ),
  );
}

/** The options of commands that are clients of a gateway's admin service. */
export const withGateway = (command: Command): Command =>
  withConnection(
    command
      .addOption(
        new Option('--via <binding>', 'binding to use (default: rest)').choices(bindings.map(({ name }) => name)),
      )
      .option('--config <file>', 'configuration of a gateway on this machine, whose admin key is next to its store')
      .option('--store <url>', 'store of such a gateway (default: sqlite:./data/gateway.db)')
      .option('--json', 'print JSON'),
  );

/** Adds the last argument of such a command. */
export const withGatewayTarget = (command: Command): Command =>
  command.argument(
    '[target]',
    `base URL of the gateway (default: the gateway on this machine, else ${defaultGateway})`,
  );
