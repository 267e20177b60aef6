import type { ErrorKind } from '../../core/model/errors.ts';
import { type AskOptions, answered, ask, isNoise, misplaced } from './ask.ts';
import type { Place } from './places.ts';
import { methodOf } from './tables.ts';

/** Reports name the URL already. */
const withoutUrl = (words: string): string => words.replace(/^https?:\/\/\S+ (answered|redirects)/, '$1');

/** What the try of one place came to. */
export type Outcome =
  | { readonly place: Place; readonly evidence: string; readonly why?: undefined }
  | { readonly place: Place; readonly evidence?: undefined; readonly why: string; readonly kind: ErrorKind };

/** What is asked of a place that is tried. */
const operation = 'GetTask';

/** The kind that proves a dialect over HTTP+JSON, where anybody may answer 400 or 500. */
const expected: ErrorKind = 'taskNotFound';

/**
 * Finds out whether a dialect is spoken at a place: by asking for a task that cannot exist, and then for the same where
 * there is nothing. An agent says in the dialect's own form that it has no such task, and something else the second time.
 *
 * @throws A2AError `canceled`
 */
export async function tryPlace(place: Place, options: AskOptions): Promise<Outcome> {
  const { binding, dialect } = place;
  const answer = await ask(place, operation, options);
  const { error } = answer;
  const provesNothing = binding.face === 'rest' && error !== undefined && error.kind !== expected;
  if (error !== undefined && (!answered(answer) || provesNothing)) {
    return { place, why: withoutUrl(answer.words), kind: error.kind };
  }

  const control = await ask(place, operation, options, misplaced(dialect, binding.face));
  const name = methodOf(binding.face, dialect, operation)?.names[0] ?? operation;
  if (isNoise(answer, control, binding.face)) {
    const why = `answers ${name} as it answers nonsense: ${answer.words}`;
    return { place, why, kind: error?.kind ?? 'invalidAgentResponse' };
  }
  const software = error && binding.face !== 'jsonrpc' && dialect.software?.find((one) => one.answersSo(error));
  const likeness = software ? ` (as ${software.name} answers)` : '';
  return { place, evidence: `${name} of an unknown id: ${answer.words}${likeness}` };
}
