import { bindingKinds } from '../core/model/call.ts';
import type { Meters } from '../core/telemetry/meters.ts';
import { counter, type Family, gauge, unlabeled } from './family.ts';

/** What the edges of the gateway count. */
export function edgeFamilies({ streams, refusals, slowReaders, reloads }: Meters): Family[] {
  const ofStreams = (key: 'open' | 'begun' | 'events' | 'resumed'): (readonly [{ binding: string }, number])[] =>
    bindingKinds.map((binding) => [{ binding }, streams[binding][key]] as const);
  return [
    counter(
      'requests_refused',
      'Requests that were refused before they became calls, by the kind of error.',
      [...refusals].flatMap(([binding, kinds]) =>
        Array.from(kinds, ([kind, count]) => [{ binding, kind }, count] as const),
      ),
    ),
    gauge('streams_open', 'Streams that are open.', ofStreams('open')),
    counter('streams', 'Streams that have begun.', ofStreams('begun')),
    counter('streams_resumed', 'Streams that were taken up again, by Last-Event-ID.', ofStreams('resumed')),
    counter('stream_events', 'Events that were handed to the readers of streams.', ofStreams('events')),
    counter('slow_readers', 'Readers that were cut off since they did not take what was sent.', unlabeled(slowReaders)),
    counter('reloads', 'How often another configuration was to count.', [
      [{ result: 'done' }, reloads.done],
      [{ result: 'refused' }, reloads.refused],
    ]),
  ];
}
