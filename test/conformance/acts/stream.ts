import { type Mismatch, mismatches } from './assertions.ts';
import { isMap, membersOf, NotUnderstood, type Value } from './values.ts';

/** Expectations of a test about a stream: `expect_stream`, section 7 of ACTS. */

const keys = ['min_count', 'max_count', 'timeout_ms', 'ordering', 'events', 'final_event', 'each_event'];

/**
 * An event as assertions see it. Files write `status` for the state wherever it is, and the payloads in camel case and in snake
 * case: the members of the payload stand beside the payloads themselves.
 */
export function viewOf(event: Value): Value {
  if (!isMap(event)) return event;
  const { task, message, statusUpdate, artifactUpdate } = event;
  const payload = [task, message, statusUpdate, artifactUpdate].find(isMap) ?? {};
  return {
    ...payload,
    ...event,
    ...(statusUpdate !== undefined && { status_update: statusUpdate }),
    ...(artifactUpdate !== undefined && { artifact_update: artifactUpdate }),
  };
}

/** Returns the places where the events of a stream that has ended are not as expected. */
export function streamMismatches(events: readonly Value[], expected: Value): readonly Mismatch[] {
  const {
    min_count,
    max_count,
    ordering,
    events: listed,
    final_event,
    each_event,
  } = membersOf(expected, keys, 'expect_stream');
  const views = events.map(viewOf);
  const found: (readonly Mismatch[])[] = [];
  if (min_count !== undefined) found.push(mismatches(events.length, { gte: min_count }, 'number of events'));
  if (max_count !== undefined) found.push(mismatches(events.length, { lte: max_count }, 'number of events'));
  if (ordering !== undefined) found.push(ordered(views, ordering));
  if (listed !== undefined)
    found.push((listed as Value[]).flatMap((each, index) => eventMismatches(views, each, index)));
  if (final_event !== undefined) found.push(mismatches(views.at(-1), final_event, 'final event'));
  if (each_event !== undefined)
    found.push(views.flatMap((view, index) => mismatches(view, each_event, `event ${index}`)));
  return found.flat();
}

/** An event at a place (its own in the list, or `index`), or anywhere. */
function eventMismatches(views: readonly Value[], assertion: Value, place: number): readonly Mismatch[] {
  if (!isMap(assertion)) throw new NotUnderstood('an event that is no map');
  const { description: _, match = 'exact_position', index = place, ...expected } = assertion;
  if (match === 'exact_position') return mismatches(views[Number(index)], expected, `event ${index}`);
  if (match !== 'any_position') throw new NotUnderstood(`match: ${match}`);
  const isThere = views.some((view) => mismatches(view, expected).length === 0);
  return isThere ? [] : [{ path: 'any event', expected, actual: views }];
}

const ended = /^TASK_STATE_(COMPLETED|FAILED|CANCELED|REJECTED)$/;

/** States that follow one another as section 7.1 has it: none comes after an end, and SUBMITTED is the first. */
function ordered(views: readonly Value[], rule: Value): readonly Mismatch[] {
  if (rule !== 'monotonic_state') throw new NotUnderstood(`ordering: ${rule}`);
  let before: string | undefined;
  for (const [index, view] of views.entries()) {
    const state = isMap(view) && isMap(view.status) ? String(view.status.state) : undefined;
    if (state === undefined) continue;
    const isBack = before !== undefined && state !== before && (ended.test(before) || /SUBMITTED$/.test(state));
    if (isBack) return [{ path: `event ${index}`, expected: `a state that may follow ${before}`, actual: state }];
    before = state;
  }
  return [];
}
