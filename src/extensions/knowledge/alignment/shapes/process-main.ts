/**
 * The program of `startShapesProcess`. It is sent the shapes, and tells whether they can be used; then the changed
 * statements of updates. Of each it asks for what it reads of the outcome, one after the other, and at last tells what it
 * found.
 */
import { Parser, Store } from 'n3';
import type { ReadOutcome } from '../outcome.ts';
import { TooMuchToJudge } from '../rule.ts';
import { createShapesJudge } from './judge.ts';
import {
  type Finding,
  isViolation,
  type Named,
  type ReadName,
  type Sent,
  type ShapesJudge,
  type ShapesText,
  type Told,
  type Usable,
} from './process.ts';

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

/** An update that is validated, to which the other side sends what was read for it. */
interface Validated {
  readonly end: AbortController;
  answer?(value: unknown): void;
}

const validated = new Map<number, Validated>();
const tell = (told: Told | Usable): unknown => process.connected && process.send?.(told);

/** The outcome of an update, which the other side reads. */
function outcomeOf(id: number, update: Validated): ReadOutcome {
  const { signal } = update.end;
  const read = (name: ReadName, given: unknown): Promise<never> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      update.answer = resolve as (value: unknown) => void;
      tell({ id, name, given });
    });
  return {
    findEach: (patterns) => read('findEach', patterns),
    someEach: (patterns) => read('someEach', patterns),
    typesOf: (ids) => read('typesOf', ids),
    instancesOf: (type) => read('instancesOf', type),
  };
}

function usable({ text, base }: ShapesText): ShapesJudge | string {
  try {
    return createShapesJudge(new Store(new Parser({ baseIRI: base }).parse(text)));
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

async function validate(judge: ShapesJudge, id: number, changed: Parameters<ShapesJudge>[0]): Promise<void> {
  const update: Validated = { end: new AbortController() };
  validated.set(id, update);
  try {
    const findings = await judge(changed, outcomeOf(id, update), update.end.signal);
    const [violations, others] = [findings.filter(isViolation), findings.filter((one) => !isViolation(one))];
    const some = [...violations, ...others].slice(0, mostFindings);
    tell({ id, findings: some.map(plainFinding) });
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    tell({ id, error, isTooMuch: thrown instanceof TooMuchToJudge });
  } finally {
    validated.delete(id);
  }
}

process.once('message', (shapes: ShapesText) => {
  const judge = usable(shapes);
  tell(typeof judge === 'string' ? { why: judge } : {});
  if (typeof judge === 'string') return;
  process.on('message', (sent: Sent) => {
    if ('changed' in sent) void validate(judge, sent.id, sent.changed);
    else if ('value' in sent) validated.get(sent.id)?.answer?.(sent.value);
    else validated.get(sent.id)?.end.abort();
  });
});
// What a terminal sends to all its processes: the gateway decides when it no longer needs this one.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
