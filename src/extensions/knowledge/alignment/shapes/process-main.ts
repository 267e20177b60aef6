/**
 * The program that `startShapesProcess` runs. The gateway first sends it the shapes, and the program answers whether
 * they are usable. Then the gateway sends the changed statements of each update; the program requests what it needs of
 * the outcome, and answers with its findings.
 */
import { Parser, Store } from 'n3';
import { unlessAborted } from '../../../../core/model/timing.ts';
import { converse } from '../../../../net/process-channel.ts';
import type { KGStatement } from '../../model/knowledge.ts';
import type { ReadOutcome } from '../outcome.ts';
import { TooMuchToJudge } from '../rule.ts';
import { createShapesJudge } from './judge.ts';
import {
  type Finding,
  isViolation,
  type Judged,
  type Named,
  type ReadQuestion,
  type ShapesJudge,
  type ShapesText,
} from './process.ts';

/** Maximum number of findings that are sent for an update; only a few are shown. */
const mostFindings = 1_000;

const plain = ({ termType, value }: Named): Named => ({ termType, value });

/**
 * Copies a finding to plain objects, since library objects lose their getters when they are sent to another process.
 */
const plainFinding = ({ message, path, focusNode, severity, sourceConstraintComponent, value }: Finding): Finding => ({
  message: message.map(plain),
  path: path && plain(path),
  focusNode: plain(focusNode),
  severity: plain(severity),
  sourceConstraintComponent: plain(sourceConstraintComponent),
  value: value && plain(value),
});

/** Running validations by id; aborting the controller ends the validation. */
const validated = new Map<number, AbortController>();
let shapesJudge: ShapesJudge | undefined;

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const ask = converse(process, {
  shapes({ text, base }: ShapesText): string | undefined {
    try {
      shapesJudge = createShapesJudge(new Store(new Parser({ baseIRI: base }).parse(text)));
      return undefined;
    } catch (thrown) {
      return messageOf(thrown);
    }
  },
  async judge({ id, changed }: { readonly id: number; readonly changed: readonly KGStatement[] }): Promise<Judged> {
    const end = new AbortController();
    validated.set(id, end);
    try {
      const findings = (await shapesJudge?.(changed, outcomeOf(id, end.signal), end.signal)) ?? [];
      const violations = findings.filter(isViolation);
      const others = findings.filter((one) => !isViolation(one));
      return { findings: [...violations, ...others].slice(0, mostFindings).map(plainFinding) };
    } catch (thrown) {
      return { error: messageOf(thrown), isTooMuch: thrown instanceof TooMuchToJudge };
    } finally {
      validated.delete(id);
    }
  },
  end: (id: number) => validated.get(id)?.abort(),
});

/** Returns the outcome of an update, which the gateway's process reads. */
function outcomeOf(id: number, signal: AbortSignal): ReadOutcome {
  const read =
    (name: keyof ReadOutcome) =>
    (given: unknown): Promise<never> =>
      unlessAborted(
        ask('read', { id, name, given } satisfies ReadQuestion, Number.POSITIVE_INFINITY),
        signal,
      ) as Promise<never>;
  return {
    findEach: read('findEach'),
    someEach: read('someEach'),
    typesOf: read('typesOf'),
    instancesOf: read('instancesOf'),
  };
}

// A terminal sends these signals to all its processes, but the gateway decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
