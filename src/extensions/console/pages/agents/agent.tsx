import type { ComponentChildren, JSX } from 'preact';
import { admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/poll.ts';
import type { AgentDetails, AgentStatus } from '../../gateway/types.ts';
import { hrefOf } from '../../shell/route.ts';
import { route } from '../../shell/router.ts';
import { count, duration } from '../../ui/format.ts';
import { Badge, Button, Notice, Page, Split, Tabs, Text, Time } from '../../ui/index.ts';
import { CardView } from './card.tsx';
import { Connect } from './connect.tsx';
import { DialectCards } from './dialect-cards.tsx';
import { Findings } from './findings.tsx';
import { ModeButtons } from './mode.tsx';
import { Signature } from './signature.tsx';
import { States } from './states.tsx';

const views = ['card', 'dialects', 'findings', 'connect'] as const;
const titles = { card: 'Card', dialects: 'Dialects', findings: 'Findings', connect: 'Connect' } as const;

/** One agent: its state, its cards, and how clients reach it. */
export function Agent({ name }: { readonly name: string }): JSX.Element {
  const details = useRead((signal) => admin.call('GetAgent', { name }, { signal }), { key: name });
  // Cards can be large, so only the state is read again and again.
  const list = useRead((signal) => admin.call('ListAgents', {}, { signal }), { every: 5_000 });
  const status = list.value?.agents?.find((agent) => agent.name === name) ?? details.value?.status;
  const wanted = route.value.query.get('view');
  const view = views.find((one) => one === wanted) ?? 'card';
  const reload = (): void => {
    details.reload();
    list.reload();
  };
  return (
    <Page
      title={name}
      up={{ href: '#/agents', title: 'Agents' }}
      beside={status && <States agent={status} />}
      busy={details.busy}
      error={details.error}
      onRetry={details.reload}
      actions={
        status && (
          <>
            <a class="button" href={hrefOf('try', [], { agent: name })}>
              Try
            </a>
            <a class="button" href={hrefOf('tasks', [], { agent: name })}>
              Tasks
            </a>
            <ModeButtons agent={status} onChanged={reload} />
            <Button icon="reload" label="Read the cards again" onClick={reload} />
          </>
        )
      }
    >
      {status?.state === 'unreachable' && (
        <Notice severity="warning">
          The gateway cannot reach the agent: <Text value={status.reason ?? 'no reason is known'} max={500} />
        </Notice>
      )}
      {status && details.value && (
        <>
          <Tabs
            label={`Views of ${name}`}
            selected={view}
            tabs={views.map((id) => ({
              id,
              title: titles[id],
              count: id === 'findings' ? details.value?.findings?.length : undefined,
              href: hrefOf('agents', [name], { view: id === 'card' ? undefined : id }),
            }))}
          />
          {view === 'card' && (
            <Split label="State" side={<Facts status={status} details={details.value} />}>
              <CardView card={cardOf(details.value)} />
            </Split>
          )}
          {view === 'dialects' && <DialectCards details={details.value} />}
          {view === 'findings' && <Findings findings={details.value.findings ?? []} />}
          {view === 'connect' && <Connect agent={status} />}
        </>
      )}
    </Page>
  );
}

/** The card in the newest form that is shown. */
const cardOf = ({ cards = [] }: AgentDetails): unknown =>
  (cards.find(({ dialect, card }) => dialect === 'a2a-1.0' && card) ?? cards.find(({ card }) => card))?.card;

function Facts({ status, details }: { readonly status: AgentStatus; readonly details: AgentDetails }): JSX.Element {
  const { kind, url, dialect, binding, breaker, calls = 0, failedCalls = 0, latencyMedianMs, latencyP95Ms } = status;
  const own = details.cards?.find((one) => one.dialect === 'a2a-1.0')?.signature;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['Kind', kind],
    ['URL', url && <Text value={url} mono />],
    ['Speaks', [dialect, binding].filter(Boolean).join(', ')],
    ['Circuit breaker', breaker && <Badge state={breaker} />],
    ['Calls', count(calls)],
    ['Failed calls', <span class={failedCalls > 0 ? 'bad' : undefined}>{count(failedCalls)}</span>],
    ['Half answered within', latencyMedianMs !== undefined && duration(latencyMedianMs)],
    ['95 % answered within', latencyP95Ms !== undefined && duration(latencyP95Ms)],
    ['Live tasks', count(status.liveTasks ?? 0)],
    ['Card read', status.cardReadAt && <Time at={status.cardReadAt} />],
    ['Knowledge', status.knowledge && <a href={hrefOf('knowledge', [], { agent: status.name })}>Show the graph</a>],
    ['Query languages', status.queryLanguages?.join(', ')],
    ['Mode set', status.modeChangedAt && <Time at={status.modeChangedAt} />],
    ['Mode set by', status.modeChangedBy && <Text value={status.modeChangedBy} mono />],
    ["Upstream card's signature", details.upstreamSignature && <Signature signature={details.upstreamSignature} />],
    ["Gateway's signature", own && <Signature signature={own} />],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([title, value]) =>
          value !== undefined &&
          value !== false &&
          value !== '' && (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
