import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { groupFindings } from '../../../../dialects/card-rules/group-findings.ts';
import { RecordButton } from '../../calls/record-button.tsx';
import { StopButton, Stopped, useStops } from '../../calls/stop-button.tsx';
import {
  type AgentDetails,
  type AgentStatus,
  admin,
  type CardFinding,
  type ListNumbersResponse,
} from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { failingShare, figuresOf, NumbersLine, useNumbers } from '../../metrics/numbers.tsx';
import { hrefOf } from '../../shell/router.ts';
import { count, words } from '../../ui/format.ts';
import { Badge, Button, type Fact, Facts, Notice, Page, Text, Time } from '../../ui/index.ts';
import { CardView, DialectCards, Signature } from './card.tsx';
import { Connect } from './connect.tsx';
import { ModeButtons, States } from './mode.tsx';

/** One agent: its state, its cards, and how clients reach it. */
export function Agent({ name }: { readonly name: string }): JSX.Element {
  const details = useRead((signal) => admin.call('GetAgent', { name }, { signal }), { key: name });
  // Cards can be large, so only the state is read repeatedly.
  const list = useRead((signal) => admin.call('ListAgents', {}, { signal }), { every: 5_000 });
  const status = list.value?.agents?.find((agent) => agent.name === name) ?? details.value?.status;
  const numbers = useNumbers('agent', 60, name).value;
  const stops = useStops();
  const stop = stops.value?.find(({ kind, subject }) => kind === 'agent' && subject === name);
  const reload = (): void => {
    details.reload();
    list.reload();
  };
  return (
    <Page
      title={name}
      up={{ href: '#/agents', title: 'Agents' }}
      beside={status && <States agent={status} failing={failingShare(numbers?.total?.numbers)} />}
      of={details}
      actions={
        status && (
          <>
            {(['bench', 'tasks', 'calls', 'metrics'] as const).map((page) => (
              <a key={page} class="button" href={hrefOf(page, [], { agent: name })}>
                {words(page)}
              </a>
            ))}
            <a class="button" href={hrefOf('calls', [], { last: name })}>
              Last failed call
            </a>
            <RecordButton of={{ agent: name }} />
            <StopButton kind="agent" subject={name} isStopped={stop !== undefined} onChanged={stops.reload} />
            <ModeButtons agent={status} onChanged={reload} />
            <Button icon="reload" label="Read the cards again" onClick={reload} />
          </>
        )
      }
    >
      <Stopped of={stop} />
      {status?.state === 'unreachable' && (
        <Notice severity="warning">
          The gateway cannot reach the agent: <Text value={status.reason ?? 'no reason is known'} max={500} />
        </Notice>
      )}
      {status && details.value && (
        <div class="split">
          <div class="split-main">
            <CardView card={cardOf(details.value)} />
            <Findings findings={details.value.findings ?? []} />
            <DialectCards details={details.value} />
            <Connect agent={status} />
          </div>
          <section class="split-side" aria-label="State">
            <State status={status} details={details.value} numbers={numbers} />
          </section>
        </div>
      )}
    </Page>
  );
}

/** Returns the card in the newest form that is shown. */
const cardOf = ({ cards = [] }: AgentDetails): unknown =>
  (cards.find(({ dialect, card }) => dialect === 'a2a-1.0' && card) ?? cards.find(({ card }) => card))?.card;

interface StateProps {
  readonly status: AgentStatus;
  readonly details: AgentDetails;
  readonly numbers: ListNumbersResponse | undefined;
}

function State({ status, details, numbers }: StateProps): JSX.Element {
  const { name, kind, url, dialect, binding, breaker } = status;
  const own = details.cards?.find((one) => one.dialect === 'a2a-1.0')?.signature;
  const facts: readonly Fact[] = [
    ['Kind', kind],
    ['URL', url && <Text value={url} mono />],
    ['Protocol', [dialect, binding].filter(Boolean).join(', ')],
    ['Circuit breaker', breaker && <Badge state={breaker} />],
    ...(details.copies ?? []).map(
      ({ url: copy, state = '', outstanding = 0, leftOut = false }, at): Fact => [
        `Copy ${at + 1}`,
        <span key={copy}>
          <Text value={copy} mono /> <Badge state={leftOut && state === 'ok' ? 'left out' : state} />{' '}
          {`${outstanding} under way`}
        </span>,
      ],
    ),
    ...figuresOf('agent', numbers).map(({ title, cell }): Fact => [`${title}, last hour`, cell(name)]),
    ['Live tasks', count(status.liveTasks ?? 0)],
    ['Card read', status.cardReadAt && <Time at={status.cardReadAt} />],
    ['Knowledge', status.knowledge && <a href={hrefOf('knowledge', [name])}>Show the graph</a>],
    ['Query languages', status.queryLanguages?.join(', ')],
    ['Mode set', status.modeChangedAt && <Time at={status.modeChangedAt} />],
    ['Mode set by', status.modeChangedBy && <Text value={status.modeChangedBy} mono />],
    ["Upstream card's signature", details.upstreamSignature && <Signature signature={details.upstreamSignature} />],
    ["Gateway's signature", own && <Signature signature={own} />],
  ];
  return (
    <>
      <Facts facts={facts} />
      {numbers && <NumbersLine of={numbers} />}
    </>
  );
}

/** Number of groups of findings that are shown. */
const groupsShown = 200;
/** Number of fields of one group that are shown. */
const fieldsShown = 50;

/** Findings about the cards, the worst first. */
function Findings({ findings }: { readonly findings: readonly CardFinding[] }): JSX.Element {
  const groups = useMemo(() => groupFindings(findings), [findings]);
  return (
    <section aria-label="Findings">
      <h3 class="section-title">
        Findings <span class="count">{count(findings.length)}</span>
      </h3>
      {groups.length === 0 && <p class="muted">The cards follow the specification as far as the gateway can tell.</p>}
      <ul class="findings">
        {groups.slice(0, groupsShown).map(({ severity, message, section, fields }) => (
          <li key={`${severity} ${message} ${section}`}>
            <Badge state={severity} />
            <div>
              <p>
                <Text value={message} max={600} /> <Text value={section} max={100} class="muted" />
              </p>
              <ul>
                {fields.slice(0, fieldsShown).map(({ field, dialects }) => (
                  <li key={field} class="row">
                    {field !== '' && <Text value={field} mono max={200} />}
                    <Text value={dialects.join(', ')} max={200} class="muted" />
                  </li>
                ))}
              </ul>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
