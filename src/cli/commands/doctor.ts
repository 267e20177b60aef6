import { parseTarget } from '../../client/choose.ts';
import { bindings, choices } from '../../client/index.ts';
import { probe } from '../../client/probe/index.ts';
import type {
  EndpointReport,
  OperationReport,
  OperationSupport,
  ProbeReport,
  RejectedEndpoint,
} from '../../client/probe/report.ts';
import { oneLine } from '../../core/model/text.ts';
import { groupFindings } from '../../dialects/card-rules/group-findings.ts';
import { outlook } from '../../extensions/generations/commands/outlook.ts';
import { CommandFailed } from '../exit-code.ts';
import type { Output } from '../output.ts';
import { tableLines } from '../output.ts';
import { type GatewayOptions, withAdmin } from '../own-gateway.ts';
import { ownCommand, shellWord } from '../render.ts';
import { connectOptions, type TargetOptions } from '../target.ts';
import { damagedRowsAt } from './damaged-rows.ts';

/**
 * `a2a-gateway doctor`: probes the dialects and bindings of an agent, and reports what works, what does not, and why. No URL
 * guard checks its cards, as in every command for the user at the terminal.
 */
export async function doctor(target: string, options: TargetOptions, output: Output): Promise<void> {
  // Before the probe, because its calls are counted too.
  const ends = await endsAt(target, options, output);
  const { timeout, ...given } = await connectOptions(options, output);
  const report = await probe(target, {
    ...given,
    ...(timeout !== undefined && { timeout }),
    onProgress: (what) => output.progress(`${what} …`),
  }).finally(() => output.clearProgress());
  for (const note of report.notes) output.note(`note: ${note}`);
  const damagedRows = await damagedRowsAt(target, options, output);
  if (options.json === true) output.json(jsonOf(report, damagedRows, ends));
  else {
    const ofGateway = section(damagedTitle, table(damagedRows, 1000)) + section(endsTitle, table(ends, 1000));
    output.print(describe(report, options) + ofGateway);
  }
  if (report.found.length === 0) throw new CommandFailed(complaint(report));
}

const damagedTitle = '\nrows of its store that the gateway cannot read, and has left out';

const endsTitle = '\nif a generation of A2A ended today at the gateway';

/** Returns the rows below that title. Empty for an agent that is not a gateway, or a caller who may not see them. */
async function endsAt(target: string, options: GatewayOptions, output: Output): Promise<string[][]> {
  try {
    return await withAdmin(
      parseTarget(target).origin,
      { ...options, via: 'rest', timeout: options.timeout ?? '5s' },
      output,
      outlook,
    );
  } catch {
    // The outlook is unknown. The rest of the report does not need it.
    return [];
  }
}

function jsonOf(
  { card: found, ...rest }: ProbeReport,
  rows: readonly (readonly string[])[],
  ends: readonly (readonly string[])[],
): unknown {
  const damagedRows = rows.map(([table, key, reason]) => ({ table, key, reason }));
  const generations = ends.map(([generation, outcome, sunset]) => ({ generation, outcome, sunset }));
  const report = {
    ...rest,
    ...(damagedRows.length > 0 && { damagedRows }),
    ...(generations.length > 0 && { generations }),
  };
  if (found === undefined) return report;
  const { dialect, alternatives, ...card } = found;
  const names = alternatives.map((other) => other.dialect.name);
  return { ...report, card: { ...card, dialect: dialect.name, alternatives: names } };
}

const titleOf = ({ binding }: EndpointReport): string =>
  bindings.find(({ name }) => name === binding)?.title ?? binding;

function describe(report: ProbeReport, { via }: TargetOptions): string {
  const { card, found, rejected, abilities, findings } = report;
  const name = card === undefined ? 'no agent card' : `${card.card.name} ${card.card.version}`.trim();
  return [
    `${oneLine(name, 100)}, ${report.target}\n`,
    section('cards', table(report.cards.map(({ url, says }) => [url, card?.url === url ? `${says}, used` : says]))),
    section('findings about the card', table(judgements(findings), 1000)),
    section('works', table(found.map((way) => [titleOf(way), way.dialect, placeOf(way), doubts(way)]))),
    section('does not work', table(refusals(rejected, via))),
    ...(found[0] === undefined
      ? []
      : [
          section(
            `through the gateway, over ${titleOf(found[0])} in ${found[0].dialect}`,
            table(fates(abilities), 1000),
          ),
          section('put a gateway in front of it', table(advice(report, found[0]))),
        ]),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

/** Maximum number of fields that are named for a finding. */
const maxFields = 3;

/** Returns errors, warnings and notes about the card: one line for all fields with the same finding. */
const judgements = (findings: ProbeReport['findings']): string[][] =>
  groupFindings(findings).map(({ severity, message, section: source, fields }) => {
    const named = fields.map(({ field }) => field).filter((field) => field !== '');
    const more = named.length > maxFields ? ` and ${named.length - maxFields} more` : '';
    const where = named.length === 0 ? '' : `${named.slice(0, maxFields).join(', ')}${more}: `;
    return [severity, `${where}${message}${source && ` (${source})`}`];
  });

const placeOf = ({ url, tenant }: EndpointReport): string => (tenant === undefined ? url : `${url} tenant ${tenant}`);

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [title, ...lines, ''].join('\n');

const table = (rows: readonly (readonly string[])[], longest?: number): string[] =>
  tableLines(rows, longest).map((line) => `  ${line}`);

function doubts({ evidence, listed, unsure }: ProbeReport['found'][number]): string {
  const notes = [
    ...(listed ? [] : ['not listed in the card']),
    ...(unsure === undefined ? [] : [`indistinguishable from ${unsure.join(', ')}`]),
  ];
  return notes.length === 0 ? evidence : `${evidence} (${notes.join('; ')})`;
}

/** Bindings that are reported only on request. */
const minor: ReadonlySet<string> = new Set(bindings.filter(({ onRequest }) => onRequest).map(({ name }) => name));

/** Returns the failures: one line for all dialects with an equal error at one URL, those in the card first. */
function refusals(rejected: readonly RejectedEndpoint[], via: TargetOptions['via']): string[][] {
  const some = rejected.filter(({ binding }) => !minor.has(binding) || binding === via);
  const groups = Map.groupBy(some, ({ binding, url, why, listed }) => JSON.stringify([binding, url, why, listed]));
  return [...groups.values()]
    .sort(([a], [b]) => Number(b?.listed) - Number(a?.listed))
    .flatMap((ways) => {
      const [first] = ways;
      if (first === undefined) return [];
      const dialects = ways.map(({ dialect }) => dialect).join(', ');
      return [
        [
          titleOf(first),
          dialects,
          placeOf(first),
          first.listed ? `${first.why} (although listed in the card)` : first.why,
        ],
      ];
    });
}

const order: readonly OperationSupport[] = ['native', 'lifted', 'impossible'];

/** Returns the gateway's way of serving each operation, the reason, and the losses. */
function fates(abilities: readonly OperationReport[]): string[][] {
  const operations = (some: readonly OperationReport[]): string => some.map(({ operation }) => operation).join(', ');
  const rows = order.flatMap((how) => {
    const some = abilities.filter((one) => one.how === how);
    if (how === 'native') return some.length === 0 ? [] : [[how, operations(some)]];
    return [...Map.groupBy(some, ({ why }) => why)].map(([why, group]) => [how, `${operations(group)}: ${why}`]);
  });
  const paths = (of: (one: OperationReport) => readonly string[], title: string): string[][] => {
    const some = abilities.filter((one) => of(one).length > 0);
    const groups = Map.groupBy(some, (one) => of(one).join(', '));
    return [...groups].map(([list, group]) => [title, `${operations(group)}: ${list}`]);
  };
  return [...rows, ...paths(({ supplied }) => supplied, 'supplied'), ...paths(({ lost: unsaid }) => unsaid, 'lost')];
}

/** Returns settings for serving the agent. They are explicit if the card alone would select others. */
function advice({ card, target }: ProbeReport, best: EndpointReport): string[][] {
  const [first] = card === undefined ? [] : choices(card);
  const byCard = first?.binding.name === best.binding && first.dialect.name === best.dialect;
  if (byCard) return [[`${ownCommand()} serve --upstream ${shellWord(target)}`]];
  const url = card === undefined ? best.url : target;
  return [
    ['with this in the configuration file:'],
    [`agents: { mine: { kind: upstream, url: "${url}", dialect: ${best.dialect}, transport: ${best.binding} } }`],
  ];
}

/** Returns the reason why nothing works, on one line. */
function complaint({ target, rejected, cards }: ProbeReport): string {
  const locked = rejected.some(({ kind }) => kind === 'unauthenticated' || kind === 'permissionDenied');
  if (locked) return `${target} requires credentials; use --api-key or --bearer`;
  const [first] = rejected;
  const away = rejected.every(({ kind }) => kind === 'upstreamUnreachable' || kind === 'upstreamTimeout');
  if (away && first !== undefined) return first.why;
  return `no A2A interface found at ${target}${cards.some(({ dialect }) => dialect !== undefined) ? '' : ', and there is no agent card'}`;
}
