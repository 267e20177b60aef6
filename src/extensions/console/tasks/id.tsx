import type { JSX } from 'preact';
import { Text } from '../ui/text.tsx';
import { visibleLine } from '../ui/visible.ts';

/** An id in little room: the ends of a UUID, whose beginning is the time and says little, and other ids as they are. */
export const shortId = (id: string): string =>
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id) ? `${id.slice(0, 4)}…${id.slice(-8)}` : id;

/** An id of a task or a context, short. The whole one is its title. */
export const Id = ({ value }: { readonly value: string }): JSX.Element => (
  <span class="id" title={visibleLine(value, 300)}>
    <Text value={shortId(value)} mono />
  </span>
);
