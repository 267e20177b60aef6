import type { JSX } from 'preact';
import { admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { Button, Empty, Missing, Page, Time } from '../../ui/index.ts';
import { Records } from './recording.tsx';

/** `#/calls?last=AGENT`: the last failed calls of an agent, and the latest or the chosen one of them on the wire. */
export function LastFailedPage({ agent }: { readonly agent: string }): JSX.Element {
  const request = { agent, lastFailed: true, pageSize: 100 };
  const read = useRead((signal) => admin.call('ListRecords', request, { signal }), { key: agent });
  const { value, reload } = read;
  const { records = [], lastFailedSince, missingReplicas } = value ?? {};
  const chosen = route.value.query.get('record');
  const shown = records.find(({ id, requestId }) => chosen === null || chosen === id || chosen === requestId);
  return (
    <Page
      title={`Last failed calls of ${agent}`}
      up={{ href: hrefOf('agents', [agent]), title: agent }}
      of={read}
      actions={<Button icon="reload" label="Read again" onClick={reload} />}
    >
      <Missing replicas={missingReplicas} />
      {lastFailedSince && (
        <p class="muted">
          Each replica remembers the last call that failed at the agent or the gateway, and the last one that its caller
          made wrongly: all replicas since <Time at={lastFailedSince} />.
        </p>
      )}
      {value && !shown && chosen && <Empty title="This call is not among them">A later one took its place.</Empty>}
      {value && (
        <Records label="Last failed calls" records={records} of={{ last: agent }} shown={shown}>
          {lastFailedSince ? 'No call has failed since then' : 'The configuration keeps no calls (calls: false)'}
        </Records>
      )}
    </Page>
  );
}
