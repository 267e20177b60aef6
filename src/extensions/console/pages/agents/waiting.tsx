import type { JSX } from 'preact';
import { isCurrent, status } from '../../shell/facts.ts';
import { hrefOf } from '../../shell/router.ts';
import { may } from '../../shell/session.ts';
import { count } from '../../ui/format.ts';

/** Numbers that are counted up to a limit are shown as more than that. */
const mostCounted = 1_000;

/** Something that waits for an operator: its number, its name for one and for several, and the address that shows exactly these. */
type Item = readonly [number: number | undefined, one: string, several: string, href: string];

/** One line of what waits for an operator. Each number leads to what it counts. @param alerts that fire, if known */
export function WaitingLine({ alerts }: { readonly alerts: number | undefined }): JSX.Element | null {
  if (!may('WatchStatus')) return null;
  const now = isCurrent.value ? status.value : undefined;
  const {
    waitingTasks,
    waitingForInput: questions,
    deadLetters,
    stops = 0,
    lostReplicas,
    waitingCards = 0,
  } = now ?? {};
  const held = waitingTasks === undefined || questions === undefined ? undefined : waitingTasks - questions;
  const inbox = (state: string): string => hrefOf('inbox', [], { view: 'all', state });
  const items: readonly Item[] = [
    [questions, 'question', 'questions', inbox('input-required')],
    [held, 'approval or authorization', 'approvals and authorizations', inbox('auth-required')],
    [
      waitingCards,
      'agent to approve',
      'agents to approve',
      hrefOf('gateway', [], { view: 'registrations', state: 'waiting' }),
    ],
    [deadLetters, 'dead letter', 'dead letters', hrefOf('push', [], { state: 'dead' })],
    [stops, 'stop', 'stops', hrefOf('gateway', [], { view: 'stops' })],
    [lostReplicas, 'vanished replica', 'vanished replicas', hrefOf('gateway', [], { view: 'replicas' })],
    [alerts, 'alert', 'alerts', hrefOf('metrics')],
  ];
  const shown = items.filter(([number]) => number !== 0 && number !== undefined);
  const isUnknown = now === undefined || waitingTasks === undefined;
  return (
    <section class="waiting" aria-label="Waiting for you">
      <strong>Waiting for you</strong>
      {shown.map(([number = 0, one, several, href]) => (
        <a key={one} href={href}>
          {number > mostCounted ? `${count(mostCounted)}+` : count(number)} {number === 1 ? one : several}
        </a>
      ))}
      {isUnknown ? (
        <span class="muted">
          {shown.length > 0 ? 'and what the store knows, which is not known now' : 'not known now'}
        </span>
      ) : (
        shown.length === 0 && <span class="muted">nothing</span>
      )}
    </section>
  );
}
