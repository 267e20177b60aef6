import { type DialectBinding, dialectBindings } from '../support/conversations.ts';
import { ownerOf } from './limits.ts';
import type { Reason } from './reasons.ts';
import { type Cell, everything } from './run.ts';

const quietly = `## Agents that do not stream

This table repeats the first one, except for the log, for agents that only answer: the gateway polls their tasks, and streams.
`;

/** One reason, and the conversations that show it. */
interface Note {
  readonly reason: Reason;
  readonly seen: Set<string>;
}

const keyOf = ({ of, limit }: Reason): string => `${of} ${limit}`;

/** Every reason that there is, in an order that does not depend on chance; their places are their numbers. */
function notesOf(cells: readonly Cell[]): Note[] {
  const notes = new Map<string, Note>();
  for (const { conversation, reasons } of cells.flatMap(({ findings }) => findings)) {
    for (const reason of reasons) {
      const note = notes.get(keyOf(reason)) ?? { reason, seen: new Set() };
      notes.set(keyOf(reason), note);
      note.seen.add(conversation);
    }
  }
  const owners = dialectBindings.map(ownerOf);
  return [...notes.values()].sort(
    ({ reason: a }, { reason: b }) => owners.indexOf(a.of) - owners.indexOf(b.of) || (a.limit < b.limit ? -1 : 1),
  );
}

function lineOf({ reason: { of, limit, so }, seen }: Note, at: number): string {
  const what = limit.includes(' ') ? `**${of}**: ${limit}` : `**${of}** cannot say \`${limit}\``;
  const how = so === undefined ? '' : `: ${so}`;
  return `${at + 1}. ${what}${how}. Seen in: ${inOrder(seen).join('; ')}.`;
}

/** Such as `1 4–7`. */
function ranges(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(' ');
}

const order = Object.keys(everything);
const inOrder = (names: ReadonlySet<string>): string[] => order.filter((name) => names.has(name));

/** The operations that a conversation takes, besides sending messages and asking for tasks. */
function needsOf(name: string): string {
  const needs = everything[name]?.needs ?? [];
  return needs.length === 0 ? '' : ` (${needs.join(', ')})`;
}

const titleOf = ({ as, via }: DialectBinding): string => `${as} ${via}`;

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const introduction = `# Every client before every agent

This matrix shows how a client of each version and binding sees an agent of each version, with the gateway between them.

Each row is a client: a dialect over a binding. Each column is what the agent behind the gateway speaks; in the column
*itself* the client reaches the agent without the gateway in between. In every cell all the conversations below are held
for real, over loopback sockets: client, gateway, agent.

The comparison covers the client's view in terms of A2A 1.0 (the answers, the task that a stream amounts to, the kinds of
errors); the task as the gateway keeps it; and the gateway's log of it, event by event. Ids, times, generations and the
gateway's own metadata are left out, but everything has to name one task and one context.

A2A 1.1 is a preview, and switched on here.

\`=\` means: the same as a client of A2A 1.0 sees before an agent of A2A 1.0 without a gateway. Numbers are the reasons
why something is not, listed below the tables. They come from the dialects' own lists of what they cannot say, and a
reason counts only where the client's dialect, or the agent's, makes the same difference by itself: nothing is lost that
both can say. Work that the gateway does in an agent's place (lists tasks, keeps push configurations, streams) makes no
difference, and so has no number.
`;

/** The text of a cell in the first table of a document; empty where it has none. */
function formerCell(document: string, client: DialectBinding, upstream?: DialectBinding): string {
  const line = document.split('\n').find((text) => text.startsWith(`| ${titleOf(client)} |`)) ?? '';
  const column = upstream === undefined ? 2 : 3 + dialectBindings.indexOf(upstream);
  return line.split(' | ')[column - 1]?.replace(/ \|$/, '') ?? '';
}

/** The cell of a client before an upstream, or before the agent itself. */
export const find = (
  cells: readonly Cell[],
  client: DialectBinding,
  upstream?: DialectBinding,
  streams = true,
): Cell | undefined =>
  cells.find(
    (one) =>
      one.client === client && one.upstream?.protocol === upstream && (one.upstream?.streams ?? true) === streams,
  );

/** Findings of a cell that have no reason. */
export const unexplained = (
  cells: readonly Cell[],
  client?: DialectBinding,
  upstream?: DialectBinding,
  streams?: boolean,
): unknown =>
  client &&
  find(cells, client, upstream, streams)
    ?.findings.filter(({ reasons }) => reasons.length === 0)
    .map(({ conversation, path, expected, actual }) => ({ conversation, path, expected, actual }));

/**
 * The document as it is checked in.
 *
 * @param former the document that has the pairs which were not tried
 */
export function documentOf(cells: readonly Cell[], former: string): string {
  const notes = notesOf(cells);
  const cellOf = (client: DialectBinding, upstream?: DialectBinding, streams = true): string => {
    const cell = find(cells, client, upstream, streams);
    if (cell === undefined) return formerCell(former, client, upstream);
    const keys = new Set(cell?.findings.flatMap(({ reasons }) => reasons.map(keyOf)));
    return ranges(notes.flatMap(({ reason }, at) => (keys.has(keyOf(reason)) ? [at + 1] : []))) || '=';
  };
  const rows = dialectBindings.map((client) =>
    row([titleOf(client), cellOf(client), ...dialectBindings.map((upstream) => cellOf(client, upstream))]),
  );
  const unable = dialectBindings.flatMap((client) => {
    const held = new Set(find(cells, client)?.held);
    const left = order.filter((name) => !held.has(name));
    return left.length === 0 ? [] : [`- ${titleOf(client)}: ${left.join('; ')}`];
  });
  const before = dialectBindings.flatMap((client) => dialectBindings.map((upstream) => cellOf(client, upstream)));
  const same = before.filter((cell) => cell === '=').length;
  return [
    introduction,
    `Of ${before.length} cells ${same} are \`=\`; the others name ${notes.length} reasons between them.`,
    '',
    row(['client ↓ agent →', 'itself', ...dialectBindings.map(titleOf)]),
    row(['---', ...[undefined, ...dialectBindings].map(() => ':---:')]),
    ...rows,
    '',
    quietly,
    row(['client ↓ agent →', ...dialectBindings.map(titleOf)]),
    row(['---', ...dialectBindings.map(() => ':---:')]),
    ...dialectBindings
      .slice(0, 1)
      .map((client) => row([titleOf(client), ...dialectBindings.map((protocol) => cellOf(client, protocol, false))])),
    '',
    '## Reasons',
    '',
    ...notes.map(lineOf),
    '',
    '## Conversations',
    '',
    ...order.map((name) => `- ${name}${needsOf(name)}`),
    '',
    'Not held, because the client has no operation for it:',
    '',
    ...unable,
    '',
  ].join('\n');
}
