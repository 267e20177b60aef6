import { text as textOf } from 'node:stream/consumers';
import type {
  KGStatement,
  KnowledgeGraphChangeEvent,
  KnowledgeGraphPatch,
  KnowledgeUpdateParams,
  KnowledgeUpdateResponseResult,
} from '../../../client/index.ts';
import { parseDuration } from '../../../config/index.ts';
import { defined, isObject, own } from '../../../core/model/json.ts';
import { oneLine } from '../../../core/model/text.ts';
import { CommandFailed, type CommandOptions, type CommandTools, UsageError } from '../../command.ts';

export interface ContextOptions extends CommandOptions {
  readonly task?: string;
  readonly session?: string;
}

export interface QueryOptions extends ContextOptions {
  readonly language?: string;
  /** A JSON object. */
  readonly variables?: string;
  readonly certainty?: number;
  /** A duration, such as `1h`. */
  readonly maxAge?: string;
}

export interface UpdateOptions extends ContextOptions {
  readonly source?: string;
  readonly justification?: string;
}

/** Options that filter changes if no query is given. */
const filters = ['subject', 'predicate', 'object', 'type', 'graph'] as const;

export interface WatchOptions extends QueryOptions, Readonly<Partial<Record<(typeof filters)[number], string>>> {
  /** Position of the change after which to begin. */
  readonly after?: number;
}

function readVariables(text: string | undefined, { jsonInput }: CommandTools): { variables?: Record<string, unknown> } {
  if (text === undefined) return {};
  const variables = jsonInput(text, '--variables: ', '{"id":"urn:a"}');
  if (isObject(variables)) return { variables };
  throw new UsageError('--variables: expected a JSON object');
}

const contextOf = ({ task, session }: ContextOptions) => defined({ taskId: task, sessionId: session });

const inputText = async (place: string, { readInput }: CommandTools): Promise<string> =>
  place === '-' ? textOf(process.stdin) : (await readInput(place)).toString('utf8');

function secondsOf(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined) throw new UsageError('--max-age: expected a duration such as 1h or 30s');
  return Math.floor(ms / 1_000);
}

/** `a2a-gateway knowledge query`: runs a query and prints its data, or the whole response with `--json`. */
export async function query(target: string, text: string, options: QueryOptions, tools: CommandTools): Promise<void> {
  const { language, certainty, maxAge } = options;
  const request = {
    query: text === '-' ? await inputText('-', tools) : text,
    queryLanguage: language ?? 'graphql',
    ...readVariables(options.variables, tools),
    ...contextOf(options),
    ...defined({ requiredCertainty: certainty, maxAgeSeconds: maxAge === undefined ? undefined : secondsOf(maxAge) }),
  };
  const answer = await tools.withClient(target, options, ({ knowledge }) => knowledge.query(request));
  tools.output.json(options.json === true ? answer : answer.data);
}

/** `a2a-gateway knowledge update`: proposes the changes in a file and prints the result. */
export async function update(target: string, file: string, options: UpdateOptions, tools: CommandTools): Promise<void> {
  const { source, justification } = options;
  const request: KnowledgeUpdateParams = {
    ...changesOf(tools.jsonInput(await inputText(file, tools), file === '-' ? 'stdin: ' : `${file}: `, exampleChange)),
    ...contextOf(options),
    ...defined({ sourceAgentId: source, justification }),
  };
  const answer = await tools.withClient(target, options, ({ knowledge }) => knowledge.update(request));
  if (options.json === true) tools.output.json(answer);
  else if (answer.success) tools.output.print(`${outcome(answer)}\n`);
  if (!answer.success) throw new CommandFailed(outcome(answer));
}

const exampleChange = '{"op": "add", "statement": …}';

/** Reads a list of changes, a single change, or a whole request. */
function changesOf(json: unknown): KnowledgeUpdateParams {
  if (Array.isArray(json)) return { mutations: json as KnowledgeGraphPatch[] };
  if (isObject(json) && Array.isArray(json.mutations)) return json as unknown as KnowledgeUpdateParams;
  if (isObject(json) && 'op' in json) return { mutations: [json as unknown as KnowledgeGraphPatch] };
  throw new UsageError(`expected a JSON list of changes such as ${exampleChange}, or an object with mutations`);
}

const outcome = (answer: KnowledgeUpdateResponseResult): string =>
  [
    answer.verificationStatus ?? (answer.success ? 'done' : 'rejected'),
    ...(answer.verificationDetails ? [answer.verificationDetails] : []),
    answer.statementsAffected === 1
      ? '1 statement affected'
      : `${answer.statementsAffected ?? 'unknown'} statements affected`,
  ].join('; ');

/** The subscription used without a query. Its selection is irrelevant, since events contain whole changes. */
const filterQuery = `subscription Watch(${filters.map((name) => `$${name}: ID`).join(', ')}) {
  statementChanged(${filters.map((name) => `${name}: $${name}`).join(', ')}) { op }
}`;

/** `a2a-gateway knowledge watch`: prints changes as they happen, until the command is stopped. */
export async function watch(
  target: string,
  text: string | undefined,
  options: WatchOptions,
  tools: CommandTools,
): Promise<void> {
  const given = filters.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const]));
  if (text !== undefined && given.length > 0)
    throw new UsageError(`--${given[0]?.[0]}: cannot be combined with a query`);
  const request = {
    subscriptionQuery: text ?? filterQuery,
    queryLanguage: options.language ?? 'graphql',
    ...(text === undefined ? { variables: Object.fromEntries(given) } : readVariables(options.variables, tools)),
    ...contextOf(options),
  };
  const from = options.after === undefined ? {} : { after: options.after };
  await tools.withClient(target, options, async ({ knowledge }) => {
    for await (const event of knowledge.subscribe(request, from)) {
      tools.output.print(options.json === true ? `${JSON.stringify(event)}\n` : `${eventLine(event)}\n`);
    }
  });
}

const signs: Readonly<Record<string, string>> = { add: '+', remove: '-', replace: '=' };

function eventLine({ op, statement, changeMetadata }: KnowledgeGraphChangeEvent): string {
  const why = changeMetadata?.justification;
  const said = typeof why === 'string' ? `  (${oneLine(why, 60)})` : '';
  return `${own(signs, op) ?? op} ${statementText(statement)}${said}`;
}

function statementText({ subject, predicate, object, graph }: KGStatement): string {
  const shown = object.id === undefined ? JSON.stringify(object.value) : `<${object.id}>`;
  return `<${subject.id}> <${predicate.id}> ${shown}${graph === undefined ? '' : ` <${graph}>`}`;
}
