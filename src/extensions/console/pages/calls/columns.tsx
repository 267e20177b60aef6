import type { JSX } from 'preact';
import type { CallRow } from '../../calls/call-list.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { Clock, type Column, Failed, Text } from '../../ui/index.ts';
import { Outcome } from './call.tsx';

/** A value of a call that filters the list by it. */
const filter = (name: string, value = ''): JSX.Element | null =>
  value === '' ? null : (
    <a href={hrefOf('calls', [], { ...Object.fromEntries(route.value.query), [name]: value })}>
      <Text value={value} />
    </a>
  );

/** What lists say of a call. */
export const columns: readonly Column<CallRow>[] = [
  { title: 'Time', cell: ({ time }) => <Clock at={time} />, width: '5.4rem' },
  { title: 'Status', cell: (call) => <Outcome call={call} />, width: '5rem' },
  { title: 'Agent', cell: ({ agent }) => filter('agent', agent), width: 'minmax(5rem, 1.4fr)' },
  { title: 'Operation', field: 'operation', width: 'minmax(7.5rem, 2fr)' },
  { title: 'Caller', cell: ({ principal }) => filter('principal', principal), width: 'minmax(5.5rem, 1.4fr)' },
  { title: 'Error', cell: ({ error }) => filter('error', error), width: 'minmax(7.5rem, 2fr)' },
  { title: 'Reason', field: 'reason', width: 'minmax(9rem, 3fr)' },
  { title: 'Lost', cell: ({ losses }) => <Failed calls={losses} />, width: '3rem', align: 'end' },
  { title: 'Duration', field: 'durationMs', as: 'duration', width: '5rem', align: 'end' },
];
