import type { JSX } from 'preact';
import { admin, type CallSummary } from '../../gateway/admin.ts';
import type { Metrics } from '../../metrics/lines.ts';
import { readMetrics } from '../../metrics/read.ts';
import { status } from '../../shell/facts.ts';
import { hrefOf } from '../../shell/router.ts';
import { callerKey } from '../../shell/session.ts';
import { count } from '../../ui/format.ts';
import { type Column, Empty, Table, Tagged, Text } from '../../ui/index.ts';
import { LatestDecisions } from './decisions.tsx';

/** Metrics with the decisions of policies, and with the verdicts of guards. */
const metricOf = { policy: 'a2a_gateway_policy_decisions_total', guard: 'a2a_gateway_guard_verdicts_total' } as const;
/** Milliseconds for which the gateway remembers metrics. */
const day = 86_400_000;

/** Decisions of one policy, or verdicts of one guard, by outcome. */
interface Rule {
  /** Kind and name, as decisions have them. */
  readonly rule: string;
  readonly kind: string;
  readonly name: string;
  /** `removed`: it is not in the configuration any more, and has decided in the time that is shown. */
  readonly tag: 'shadow' | 'removed' | false;
  readonly outcomes: Readonly<Record<string, number>>;
}

type Settings = Partial<Record<string, readonly { readonly name: string; readonly shadow?: boolean }[]>>;

/** The policies and guards of the configuration, and those that have decided and are not in it any more. */
function rulesOf({ policies = [], guards = [] }: Settings, { series }: Metrics, calls: readonly CallSummary[]): Rule[] {
  const outcomes = new Map<string, Record<string, number>>();
  for (const { name, labels = {}, values = [] } of series) {
    const kind = name === metricOf.policy ? 'policy' : 'guard';
    const sum = values.reduce<number>((all, value) => all + (Number(value) || 0), 0);
    const rule = `${kind} ${labels[kind]}`;
    const known = outcomes.get(rule) ?? {};
    const { outcome = '' } = labels;
    if (sum > 0) outcomes.set(rule, { ...known, [outcome]: sum + (known[outcome] ?? 0) });
  }
  const configured = new Map<string, boolean | undefined>();
  for (const { name, shadow } of policies) configured.set(`policy ${name}`, shadow);
  for (const { name, shadow } of guards) configured.set(`guard ${name}`, shadow);
  const decided = calls.flatMap(({ decisions = [] }) => decisions.map(({ rule }) => rule));
  return Array.from(new Set([...configured.keys(), ...outcomes.keys(), ...decided]), (rule) => {
    const [kind = '', ...name] = rule.split(' ');
    const tag = configured.has(rule) ? configured.get(rule) === true && 'shadow' : 'removed';
    return { rule, kind, name: name.join(' '), tag, outcomes: outcomes.get(rule) ?? {} };
  });
}

/** The latest policies and guards that were read, and the configuration that they belong to: each reading is audited. */
let latest: { readonly of: string; readonly settings: Settings } | undefined;

/** Reads the policies and guards of the configuration, again only after a reload or at another replica. */
async function readSettings(signal: AbortSignal): Promise<Settings> {
  const { replica = '', configActiveSince = '' } = status.value ?? {};
  const of = `${callerKey.value} ${replica} ${configActiveSince}`;
  if (latest?.of === of && configActiveSince !== '') return latest.settings;
  const { settings = {} } = await admin.call('GetConfig', {}, { signal });
  latest = { of, settings: settings as Settings };
  return latest.settings;
}

/** Reads the policies and guards of the configuration, their decisions of the last day, and the latest of them. */
export async function readRules(signal: AbortSignal) {
  const start = Date.now() - day;
  const from = new Date(start).toISOString();
  const [settings, metrics, found] = await Promise.all([
    readSettings(signal),
    readMetrics({ names: Object.values(metricOf), from: start, steps: 24 }, signal),
    admin.call('ListCalls', { decided: true, after: from, pageSize: 100 }, { signal }),
  ]);
  const { calls = [] } = found;
  return {
    rules: rulesOf(settings, metrics, calls),
    calls,
    facts: found,
    from,
    missingReplicas: [...new Set([...metrics.missing, ...(found.missingReplicas ?? [])])],
  };
}

const sumOf = ({ outcomes }: Rule, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (outcomes[name] ?? 0), 0);

/** A column with a number that opens the calls that it counts. */
const counted = (title: string, ...names: readonly string[]): Column<Rule> => ({
  title,
  sort: (rule) => sumOf(rule, names),
  cell: (rule) => {
    const sum = sumOf(rule, names);
    const decision = rule.kind === 'guard' ? names.at(-1) : names[0];
    // A policy that could not be evaluated refuses, or asks.
    const isListed = decision !== 'allowed' && (rule.kind === 'guard' || decision !== 'failed');
    return sum > 0 && isListed ? (
      <a href={hrefOf('calls', [], { rule: rule.rule, decision, after: '24h' })}>{count(sum)}</a>
    ) : (
      count(sum)
    );
  },
  width: '6.5rem',
  align: 'end',
});

const columns: readonly Column<Rule>[] = [
  {
    title: 'Name',
    sort: ({ name }) => name,
    cell: ({ name, tag }) => (
      <Tagged tag={tag}>
        <Text value={name} mono />
      </Tagged>
    ),
    width: 'minmax(10rem, 2fr)',
  },
  { title: 'Kind', field: 'kind', width: '5rem' },
  counted('Allowed', 'allowed'),
  counted('Refused', 'refused', 'blocked'),
  counted('Asked', 'asked'),
  counted('Replaced', 'replaced'),
  counted('In shadow', 'shadow'),
  counted('Failed', 'failed'),
];

/** The policies and guards of the configuration with their decisions. */
export const Rules = ({ rules, ...of }: Awaited<ReturnType<typeof readRules>>): JSX.Element => (
  <>
    <p class="muted">
      Decisions of policies and verdicts of guards in the last 24 hours. <strong>In shadow</strong>: a policy would have
      refused or asked, a guard would have changed something. Calls without a decision are not counted.
    </p>
    <Table
      label="Policies and guards"
      columns={columns}
      rows={rules}
      rowKey={({ rule }) => rule}
      empty={
        <Empty title="No policies and no guards">
          The sections policies and guards of the configuration refuse calls, or have people asked about them.
        </Empty>
      }
    />
    {rules.length > 0 && <LatestDecisions {...of} />}
  </>
);
