import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { admin, type CardRevision, type RegisteredAgent } from '../../gateway/admin.ts';
import { messageOf } from '../../gateway/error.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { count } from '../../ui/format.ts';
import { ActionButton, Badge, Button, type Column, Empty, Field, Notice, Table, Text } from '../../ui/index.ts';

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
  const picked = useMemo(() => signal<ReadonlyMap<string, RegisteredAgent>>(new Map()), []);
  const shown = of
    .filter((agent) => hasText(agent, text.toLowerCase()) && (state !== 'waiting' || waitingOf(agent).length > 0))
    .toSorted((one, other) => Number(waitingOf(other).length > 0) - Number(waitingOf(one).length > 0));
  const waiting = of.filter((agent) => waitingOf(agent).length > 0).length;
  return (
    <>
      <div class="filters">
        <Field
          label="Search registrations"
          hideLabel
          placeholder="Search registrations"
          type="search"
          value={text}
          onInput={(q) => setQuery({ q }, { replace: true })}
        />
        <Button
          kind="quiet"
          pressed={state === 'waiting'}
          onClick={() => setQuery({ state: state === 'waiting' ? undefined : 'waiting' }, { replace: true })}
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

/** A decision about several agents: what was done, and what was refused. */
interface Outcome {
  readonly done: string;
  readonly names: number;
  readonly refused: readonly (readonly [name: string, reason: string])[];
}

/** Approves or refuses the waiting cards of the selected agents, as they are shown: a card that has changed since is not decided. */
function Decide({ picked, of, onDone, onChanged }: DecideProps): JSX.Element | null {
  const outcome = useSignal<Outcome | undefined>(undefined);
  const cards = of.flatMap((agent) =>
    picked.has(agent.name) ? waitingOf(picked.get(agent.name) ?? agent).map(({ id }) => [agent.name, id] as const) : [],
  );
  const number = `${count(cards.length)} ${cards.length === 1 ? 'card' : 'cards'}`;
  const decide =
    (reject: boolean) =>
    async (aborted: AbortSignal): Promise<void> => {
      const refused: [string, string][] = [];
      for (const [name, revision] of cards) {
        if (aborted.aborted) return;
        await admin
          .call('ApproveAgent', { name, revision, reject }, { signal: aborted })
          .catch((thrown: unknown) => void refused.push([name, messageOf(thrown)]));
      }
      outcome.value = { done: reject ? 'refused' : 'approved', names: cards.length, refused };
      onDone();
      onChanged();
    };
  const { done = '', names = 0, refused = [] } = outcome.value ?? {};
  return (
    <>
      {outcome.value && (
        <Notice
          severity={refused.length > 0 ? 'warning' : 'ok'}
          action={<Button onClick={() => (outcome.value = undefined)}>Close</Button>}
        >
          {count(names - refused.length)} of {count(names)} cards {done}.
          <ul aria-label="Not decided">
            {refused.slice(0, 100).map(([name, reason]) => (
              <li key={name}>
                <Text value={name} mono />: <Text value={reason} max={300} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {picked.size > 0 && (
        <div class="row">
          <span>{count(picked.size)} selected</span>
          <ActionButton
            operation="ApproveAgent"
            label="Approve"
            title={`Approve ${number}?`}
            disabled={cards.length === 0}
            act={decide(false)}
          >
            <p>They decide from then on which addresses are called, and what callers see of the agents.</p>
            <Names cards={cards} />
          </ActionButton>
          <ActionButton
            operation="ApproveAgent"
            label="Refuse"
            title={`Refuse ${number}?`}
            danger
            disabled={cards.length === 0}
            act={decide(true)}
          >
            <p>They are not served. Agents that are served now stay.</p>
            <Names cards={cards} />
          </ActionButton>
          <Button kind="quiet" icon="close" label="Select none" onClick={onDone} />
        </div>
      )}
    </>
  );
}

const Names = ({ cards }: { readonly cards: readonly (readonly [name: string, id: string])[] }): JSX.Element => (
  <ul class="card-names">
    {cards.map(([name, id]) => (
      <li key={`${name} ${id}`}>
        <Text value={name} mono /> <code>{id.slice(0, 6)}</code>
      </li>
    ))}
  </ul>
);
