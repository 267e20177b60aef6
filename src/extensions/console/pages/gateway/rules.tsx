import type { JSX } from 'preact';
import { admin } from '../../gateway/admin.ts';
import type { Metrics } from '../../metrics/lines.ts';
import { readMetrics } from '../../metrics/read.ts';
import { hrefOf } from '../../shell/router.ts';
import { count } from '../../ui/format.ts';
import { type Column, Empty, Table, Tagged, Text } from '../../ui/index.ts';

/** Metrics with the decisions of policies, and with the verdicts of guards. */
const metricOf = { policy: 'a2a_gateway_policy_decisions_total', guard: 'a2a_gateway_guard_verdicts_total' } as const;
/** Milliseconds for which the gateway remembers metrics. */
const day = 86_400_000;

/** Decisions of one policy, or verdicts of one guard, by outcome. */
interface Rule {
  readonly kind: keyof typeof metricOf;
  readonly name: string;
  readonly isShadow: boolean;
  /** The configured reason, with which the calls are found that a policy has refused. */
  readonly reason: string;
  readonly outcomes: Readonly<Record<string, number>>;
}

interface Configured {
  readonly name: string;
  readonly shadow?: boolean;
  readonly reason?: string;
}

/** The outcomes of a rule in some metrics, by their names. */
function outcomesOf({ series }: Metrics, kind: Rule['kind'], name: string): Rule['outcomes'] {
  const outcomes: Record<string, number> = {};
  for (const { name: metric, labels = {}, values = [] } of series) {
    if (metric !== metricOf[kind] || labels[kind] !== name) continue;
    const outcome = labels.outcome ?? '';
    outcomes[outcome] = values.reduce<number>((sum, value) => sum + (Number(value) || 0), outcomes[outcome] ?? 0);
  }
  return outcomes;
}

/** Reads the policies and guards of the configuration, and their decisions of the last day. */
export async function readRules(signal: AbortSignal) {
  const names = Object.values(metricOf);
  const [{ settings = {} }, metrics] = await Promise.all([
    admin.call('GetConfig', {}, { signal }),
    readMetrics({ names, from: Date.now() - day, steps: 24 }, signal),
  ]);
  const { policies = [], guards = [] } = settings as unknown as Partial<Record<string, readonly Configured[]>>;
  const rulesOf = (kind: Rule['kind'], list: readonly Configured[]): Rule[] =>
    list.map(({ name, shadow = false, reason = '' }) => ({
      kind,
      name,
      isShadow: shadow,
      reason,
      outcomes: outcomesOf(metrics, kind, name),
    }));
  return {
    rules: [...rulesOf('policy', policies), ...rulesOf('guard', guards)],
    missingReplicas: [...metrics.missing],
  };
}

/** Text that the reasons of refused calls have. */
const refusalOf = ({ kind, name, reason }: Rule): string =>
  kind === 'guard' ? `The guard ${name} blocks` : reason || 'A policy of this gateway refuses the call';

const sumOf = ({ outcomes }: Rule, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (outcomes[name] ?? 0), 0);

const counted = (title: string, ...names: readonly string[]): Column<Rule> => ({
  title,
  sort: (rule) => sumOf(rule, names),
  cell: (rule) => count(sumOf(rule, names)),
  width: '6.5rem',
  align: 'end',
});

const refusing = ['refused', 'blocked'] as const;

const columns: readonly Column<Rule>[] = [
  {
    title: 'Name',
    sort: ({ name }) => name,
    cell: ({ name, isShadow }) => (
      <Tagged tag={isShadow && 'shadow'}>
        <Text value={name} mono />
      </Tagged>
    ),
    width: 'minmax(10rem, 2fr)',
  },
  { title: 'Kind', field: 'kind', width: '5rem' },
  counted('Allowed', 'allowed'),
  {
    title: 'Refused',
    sort: (rule) => sumOf(rule, refusing),
    cell: (rule) => (
      <a href={hrefOf('calls', [], { failed: 'true', text: refusalOf(rule) })}>{count(sumOf(rule, refusing))}</a>
    ),
    width: '6.5rem',
    align: 'end',
  },
  counted('Asked', 'asked'),
  counted('Replaced', 'replaced'),
  counted('In shadow', 'shadow'),
  counted('Failed', 'failed'),
];

/** The policies and guards of the configuration with their decisions. */
export const Rules = ({ rules }: { readonly rules: readonly Rule[] }): JSX.Element => (
  <>
    <p class="muted">
      Decisions of policies and verdicts of guards in the last 24 hours. <strong>In shadow</strong>: a policy would have
      refused or asked, a guard would have changed something. Calls without a decision are not counted.
    </p>
    <Table
      label="Policies and guards"
      columns={columns}
      rows={rules}
      rowKey={({ kind, name }) => `${kind} ${name}`}
      empty={
        <Empty title="No policies and no guards">
          The sections policies and guards of the configuration refuse calls, or have people asked about them.
        </Empty>
      }
    />
  </>
);
