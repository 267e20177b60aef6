import type { JSX } from 'preact';
import { admin, type CardRevision, type Difference, type RegisteredAgent } from '../../gateway/admin.ts';
import { route } from '../../shell/router.ts';
import { words } from '../../ui/format.ts';
import { ActionButton, Badge, type Column, type Fact, Facts, Notice, Table, Text, Time } from '../../ui/index.ts';
import { isWaiting, RegistrationTable } from './registration-table.tsx';

interface Props<T> {
  readonly of: T;
  readonly onChanged: () => void;
}

/** Reads all registrations, page by page: the gateway has 5,000 at most. */
export async function readRegistrations(signal: AbortSignal) {
  const list = async (removed: boolean): Promise<readonly RegisteredAgent[]> => {
    const all: RegisteredAgent[] = [];
    let pageToken = '';
    do {
      const page = await admin.call('ListRegistrations', { pageSize: 500, pageToken, removed }, { signal });
      all.push(...(page.registrations ?? []));
      pageToken = page.nextPageToken ?? '';
    } while (pageToken !== '');
    return all;
  };
  const [registrations, removed] = await Promise.all([list(false), list(true)]);
  return { registrations, removed };
}

/** The agents that were registered at run time, one of them with its cards, and the removed ones. */
export function Registrations({ of, onChanged }: Props<Awaited<ReturnType<typeof readRegistrations>>>): JSX.Element {
  const { registrations, removed } = of;
  const name = route.value.query.get('registered');
  const chosen = registrations.find((agent) => agent.name === name);
  return (
    <div class="stack">
      <RegistrationTable of={registrations} onChanged={onChanged} />
      {chosen && <Registration key={chosen.name} of={chosen} onChanged={onChanged} />}
      {removed.length > 0 && (
        <section aria-label="Removed agents">
          <h2 class="section-title">Removed agents</h2>
          <p class="muted">Their names keep what was decided about their cards: the next card waits for approval.</p>
          <Table
            label="Removed agents"
            columns={removedColumns(onChanged)}
            rows={removed}
            rowKey={({ name }) => name}
            maxHeight="40vh"
          />
        </section>
      )}
    </div>
  );
}

const removedColumns = (onChanged: () => void): readonly Column<RegisteredAgent>[] => [
  { title: 'Name', field: 'name', as: 'mono', width: 'minmax(8rem, 1fr)' },
  { title: 'Owner', field: 'owner', as: 'mono', width: 'minmax(8rem, 1fr)' },
  { title: 'Removed', field: 'removedAt', as: 'time', width: '8rem' },
  {
    title: 'Forget',
    cell: ({ name }) => (
      <ActionButton
        operation="RemoveAgent"
        label="Forget"
        title={`Forget ${name}?`}
        danger
        act={() => admin.call('RemoveAgent', { name, forget: true }).then(onChanged)}
      >
        <p>
          The next card under this name is its first one, which is served at once where registration.approve says so.
        </p>
      </ActionButton>
    ),
    width: '7rem',
  },
];

function Registration({ of, onChanged }: Props<RegisteredAgent>): JSX.Element {
  const { name, owner, active = false, registeredAt, expiresAt, problem = '', revisions = [] } = of;
  const facts: readonly Fact[] = [
    ['Owner', <Text key="owner" value={owner} mono />],
    ['Registered', <Time key="at" at={registeredAt} />],
    ['Lease ends', expiresAt && <Time at={expiresAt} />],
  ];
  return (
    <section class="stack" aria-label={name}>
      <div class="row spread">
        <h2 class="section-title">
          <Text value={name} /> <Badge state={active ? 'active' : 'not served'} severity={active ? 'ok' : 'idle'} />
        </h2>
        <ActionButton
          operation="RemoveAgent"
          label="Remove"
          title={`Remove ${name}?`}
          danger
          act={() => admin.call('RemoveAgent', { name }).then(onChanged)}
        >
          <p>
            Calls of the agent are refused from then on. Its tasks stay in the store, and its name keeps what was
            decided about its cards.
          </p>
        </ActionButton>
      </div>
      <Facts kind="facts facts-wide" facts={facts} />
      {problem !== '' && (
        <Notice severity="warning">
          Its card could not be read: <Text value={problem} max={500} />
        </Notice>
      )}
      {revisions.map((revision) => (
        <Revision key={revision.id} of={revision} name={name} owner={owner} onChanged={onChanged} />
      ))}
    </section>
  );
}

const differenceColumns: readonly Column<Difference>[] = [
  { title: 'Field', field: 'path', as: 'mono', width: 'minmax(8rem, 1fr)' },
  { title: 'Served now', field: 'before', as: 'mono', width: 'minmax(8rem, 2fr)' },
  { title: 'In this card', field: 'after', as: 'mono', width: 'minmax(8rem, 2fr)' },
];

interface RevisionProps extends Props<CardRevision> {
  readonly name: string;
  readonly owner: string;
}

/** A card, its differences from the one that is served, and the possible decisions about it. */
function Revision({ of, name, owner, onChanged }: RevisionProps): JSX.Element {
  const { id, seenAt, decidedAt, decidedBy = '', differences = [], offeredBy = '' } = of;
  const state = (of.state ?? '').replace('REVISION_STATE_', '');
  const decide = (reject: boolean) => () => admin.call('ApproveAgent', { name, revision: id, reject }).then(onChanged);
  const what = `the card of ${name} of revision ${id.slice(0, 6)}`;
  return (
    <details open={isWaiting(of)}>
      <summary>
        <Badge state={words(state)} severity={isWaiting(of) ? 'warning' : 'idle'} /> card <code>{id.slice(0, 6)}</code>
      </summary>
      <div class="stack">
        <p class="muted">
          Seen <Time at={seenAt} />
          {decidedAt && ', decided '}
          {decidedAt && <Time at={decidedAt} />} {decidedBy !== '' && <Text value={`by ${decidedBy}`} />}
          {offeredBy !== owner && <Text value={`, offered by ${offeredBy}, who owned the name before`} />}
        </p>
        <div class="row">
          {state !== 'APPROVED' && (
            <ActionButton operation="ApproveAgent" label="Approve" title={`Serve ${what}?`} act={decide(false)}>
              <p>It decides from then on which address is called, and what callers see of the agent.</p>
            </ActionButton>
          )}
          {(state === 'APPROVED' || state === 'WAITING') && (
            <ActionButton operation="ApproveAgent" label="Refuse" title={`Refuse ${what}?`} danger act={decide(true)}>
              <p>
                {state === 'APPROVED'
                  ? 'Nothing is served for the agent until a card is approved.'
                  : 'It is not served.'}
              </p>
            </ActionButton>
          )}
        </div>
        {differences.length > 0 && (
          <Table
            label={`Differences of ${what}`}
            columns={differenceColumns}
            rows={differences}
            rowKey={({ path }) => path}
            maxHeight="40vh"
          />
        )}
      </div>
    </details>
  );
}
