import type { JSX } from 'preact';
import { traceUrl } from '../gateway/settings.ts';
import { Text } from '../ui/text.tsx';

/** A trace's id; a link where the configuration says where traces are shown. */
export function TraceLink({ traceId }: { readonly traceId: string }): JSX.Element {
  const url = traceUrl(traceId);
  const id = <Text value={traceId} max={40} mono />;
  if (url === undefined) return id;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {id}
    </a>
  );
}
