/**
 * The thread of `startShapesThread`. It tells whether the shapes can be used; then each message has the changed statements
 * of an update, and a port. On that port it asks for what it reads of the outcome, one after the other, and at last tells
 * what it found. The other side closes the port to end the validation.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Parser, Store } from 'n3';
import type { ReadOutcome } from '../outcome.ts';
import { TooMuchToJudge } from '../rule.ts';
import { createShapesJudge, type Finding, isViolation, type Named } from './judge.ts';
import type { Answer, ReadName, Told, Validation } from './thread.ts';

/** Findings of an update that are told at most: only a few are shown. */
const mostFindings = 1_000;

const plain = ({ termType, value }: Named): Named => ({ termType, value });

/** Objects of libraries lose their getters on the way to another thread. */
const plainFinding = ({ message, path, focusNode, severity, sourceConstraintComponent, value }: Finding): Finding => ({
  message: message.map(plain),
  path: path && plain(path),
  focusNode: plain(focusNode),
  severity: plain(severity),
  sourceConstraintComponent: plain(sourceConstraintComponent),
  value: value && plain(value),
});

/** The outcome of an update, which the other side of a port reads. */
function outcomeBehind(port: MessagePort, signal: AbortSignal): ReadOutcome {
  const read = (name: ReadName, given: unknown): Promise<never> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      port.once('message', ({ value }: Answer) => resolve(value as never));
      port.postMessage({ name, given } satisfies Told);
    });
  return {
    findEach: (patterns) => read('findEach', patterns),
    someEach: (patterns) => read('someEach', patterns),
    typesOf: (ids) => read('typesOf', ids),
    instancesOf: (type) => read('instancesOf', type),
  };
}

function usable({ text, base }: typeof workerData) {
  try {
    return createShapesJudge(new Store(new Parser({ baseIRI: base }).parse(text)));
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

const judge = usable(workerData);
parentPort?.postMessage(typeof judge === 'string' ? judge : undefined);

parentPort?.on('message', async ({ changed, port }: Validation) => {
  if (typeof judge === 'string') return;
  const end = new AbortController();
  port.on('close', () => end.abort());
  try {
    const findings = await judge(changed, outcomeBehind(port, end.signal), end.signal);
    const [violations, others] = [findings.filter(isViolation), findings.filter((one) => !isViolation(one))];
    const some = [...violations, ...others].slice(0, mostFindings);
    port.postMessage({ findings: some.map(plainFinding) } satisfies Told);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    port.postMessage({ error, isTooMuch: thrown instanceof TooMuchToJudge } satisfies Told);
  }
});
