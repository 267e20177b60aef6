import type { Task } from '../../src/core/model/a2a.ts';
import { guardedAgent, secret, whisperOf } from './agents/whispers.ts';
import type { Violation } from './check-logs.ts';
import type { Ledger, Said } from './ledger.ts';
import { type Logs, markersOf, taskAt } from './logs.ts';

const textOf = ({ artifacts = [] }: Task): string =>
  artifacts.flatMap(({ parts }) => parts.map(({ text = '' }) => text)).join('');

/** What a guard blocks is in no log, and no client sees any of it; what it allows arrives whole. */
export function checkGuarded({ said, watched, notified, read }: Ledger, logs: Logs): Violation[] {
  const own = new Map(said.filter(({ agent }) => agent === guardedAgent).map((one) => [one.marker, one]));
  if (own.size === 0) return [];
  const found: Violation[] = [...own.values()].flatMap(saidFaults);
  const seen = [watched.filter(({ agent }) => agent === guardedAgent), [...notified.values()], read];
  if (JSON.stringify(seen).includes(secret)) found.push({ what: 'a reader saw what the guard blocks' });
  for (const task of logs.tasks.filter(({ agent }) => agent === guardedAgent)) {
    const one = markersOf(task).flatMap(([marker]) => own.get(marker) ?? [])[0];
    const folded = taskAt(task.log, task.seq);
    const text = folded ? textOf(folded) : '';
    const whole = whisperOf(Number(one?.text.split(' ')[1])).join('');
    if (JSON.stringify(task.log).includes(secret) || text.includes(secret))
      found.push({ what: 'its log has what the guard blocks', task });
    if (task.state === 'TASK_STATE_COMPLETED' && text !== whole)
      found.push({ what: `it is completed with ${JSON.stringify(text)} of ${JSON.stringify(whole)}`, task });
  }
  return found;
}

function saidFaults({ marker, text, answers, refusal, gaveUp }: Said): Violation[] {
  const isBlocked = text.includes(secret);
  if (!isBlocked)
    return JSON.stringify(answers).includes(secret) ? [{ what: `${marker} was answered with a secret` }] : [];
  if (answers.length > 0) return [{ what: `${marker} has the secret, and was answered` }];
  return gaveUp || refusal?.startsWith('permissionDenied: ')
    ? []
    : [{ what: `${marker} was refused otherwise: ${refusal}` }];
}
