import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { admin, type CardRevision, type RegisteredAgent } from '../../gateway/admin.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { onEach } from '../../tasks/many.ts';
import { useReport } from '../../tasks/report.tsx';
import { count } from '../../ui/format.ts';
import { ActionButton, Badge, Button, type Column, Empty, Field, Table, Text } from '../../ui/index.ts';

/** Whether a card waits for a decision. */
export const isWaiting = ({ state }: CardRevision): boolean => state === 'REVISION_STATE_WAITING';

const waitingOf = ({ revisions = [] }: RegisteredAgent): readonly CardRevision[] => revisions.filter(isWaiting);

/** The state of a registration in a word. */
function stateOf(agent: RegisteredAgent): string {
  if (waitingOf(agent).length > 0) return 'waits for approval';
  if (agent.problem) return 'no card';
  return agent.active ? 'served' : 'not served';
}

const severities = { 'waits for approval': 'warning', 'no card': 'error', served: 'ok' } as const;

const columns: readonly Column<RegisteredAgent>[] = [
  { title: 'Agent', field: 'name', as: 'mono', width: 'minmax(11rem, 2fr)' },
  {
    title: 'State',
    sort: stateOf,
    cell: (agent) => (
      <Badge state={stateOf(agent)} severity={severities[stateOf(agent) as keyof typeof severities] ?? 'idle'} />
    ),
    width: '11rem',
  },
  { title: 'Owner', field: 'owner', as: 'mono', width: 'minmax(8rem, 2fr)' },
  {
    title: 'Differences',
    sort: (agent) => waitingOf(agent)[0]?.differences?.length ?? 0,
    cell: (agent) => {
      const [first] = waitingOf(agent);
      return first ? count(first.differences?.length ?? 0) : '';
    },
    width: '6.5rem',
    align: 'end',
  },
  { title: 'Registered', field: 'registeredAt', as: 'time', width: '7rem' },
  { title: 'Lease ends', field: 'expiresAt', as: 'time', width: '7rem' },
];

/** Whether an agent has a text in its name, its owner or its cards' differences. */
function hasText({ name, owner, problem = '', revisions = [] }: RegisteredAgent, text: string): boolean {
  const differences = revisions.flatMap((revision) => (revision.differences ?? []).map(({ after = '' }) => after));
  return [name, owner, problem, ...differences].some((value) => value.toLowerCase().includes(text));
}

interface TableProps {
  readonly of: readonly RegisteredAgent[];
  readonly onChanged: () => void;
}

/** The registered agents, those that wait first: searched, and decided about several at once. */
export function RegistrationTable({ of, onChanged }: TableProps): JSX.Element {
  const { query } = route.value;
  const text = query.get('q') ?? '';
  const state = query.get('state') ?? '';
  const filter = (patch: Parameters<typeof setQuery>[0]): void => setQuery(patch, { replace: true });
  const picked = useMemo(() => signal<ReadonlyMap<string, RegisteredAgent>>(new Map()), []);
  const shown = of
    .filter((agent) => hasText(agent, text.toLowerCase()) && (state !== 'waiting' || waitingOf(agent).length > 0))
    .toSorted((one, other) => Number(waitingOf(other).length > 0) - Number(waitingOf(one).length > 0));
  const waiting = of.filter((agent) => waitingOf(agent).length > 0).length;
  return (
    <>
      <div class="filters">
        <Field label="Search registrations" type="search" value={text} onInput={(q) => filter({ q })} />
        <Button
          kind="quiet"
          pressed={state === 'waiting'}
          onClick={() => filter({ state: state === 'waiting' ? undefined : 'waiting' })}
        >
          {`${count(waiting)} to approve`}
        </Button>
      </div>
      <Decide picked={picked.value} of={of} onDone={() => (picked.value = new Map())} onChanged={onChanged} />
      <Table
        label="Registered agents"
        columns={columns}
        rows={shown}
        rowKey={({ name }) => name}
        picked={picked}
        href={({ name }) => hrefOf('gateway', [], { ...Object.fromEntries(query), registered: name })}
        selected={query.get('registered') ?? undefined}
        maxHeight="50vh"
        empty={
          of.length === 0 ? (
            <Empty title="No agent is registered">
              Where the configuration has registration.allow, callers with the scope agents register agents.
            </Empty>
          ) : (
            'No registered agent matches'
          )
        }
      />
    </>
  );
}

interface DecideProps extends TableProps {
  readonly picked: ReadonlyMap<string, RegisteredAgent>;
  readonly onDone: () => void;
}

/** The name of an agent, and the id of a card that waits. */
type Card = readonly [name: string, id: string];

/** The decisions about cards, and their consequences. */
const decisions = [
  [
    'Approve',
    'cards approved',
    false,
    'They decide from then on which addresses are called, and what callers see of the agents.',
  ],
  ['Refuse', 'cards refused', true, 'They are not served. Agents that are served now stay.'],
] as const;

/** Approves or refuses the waiting cards of the selected agents, as they are shown: a card that has changed since is not decided. */
function Decide({ picked, of, onDone, onChanged }: DecideProps): JSX.Element | null {
  const { run, said } = useReport<Card>(([name]) => <Text value={name} mono />);
  const cards = of.flatMap((agent) =>
    picked.has(agent.name) ? waitingOf(picked.get(agent.name) ?? agent).map(({ id }) => [agent.name, id] as const) : [],
  );
  const number = `${count(cards.length)} ${cards.length === 1 ? 'card' : 'cards'}`;
  const decide = (done: string, reject: boolean) => async (aborted: AbortSignal) => {
    const act = async ([name, revision]: Card): Promise<void> => {
      await admin.call('ApproveAgent', { name, revision, reject }, { signal: aborted });
    };
    await run(done, cards, (onOutcome) => onEach(cards, act, aborted, onOutcome));
    if (!aborted.aborted) onDone();
    onChanged();
  };
  return (
    <>
      {said}
      {picked.size > 0 && (
        <div class="row">
          <span>{count(picked.size)} selected</span>
          {decisions.map(([label, done, reject, means]) => (
            <ActionButton
              key={label}
              operation="ApproveAgent"
              label={label}
              title={`${label} ${number}?`}
              danger={reject}
              disabled={cards.length === 0}
              act={decide(done, reject)}
            >
              <p>{means}</p>
              <ul class="card-names">
                {cards.map(([name, id]) => (
                  <li key={`${name} ${id}`}>
                    <Text value={name} mono /> <code>{id.slice(0, 6)}</code>
                  </li>
                ))}
              </ul>
            </ActionButton>
          ))}
          <Button kind="quiet" icon="close" label="Select none" onClick={onDone} />
        </div>
      )}
    </>
  );
}
