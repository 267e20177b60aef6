import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ReloadConfigResponse } from '../../../../gen/admin-v1/types.ts';
import { admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/poll.ts';
import { ActionButton, Json, Notice, Text, Time } from '../../ui/index.ts';
import { View } from './views.tsx';

/** The active configuration, and the button that reads its file again. */
export function Configuration(): JSX.Element {
  const read = useRead((signal) => admin.call('GetConfig', {}, { signal }));
  const report = useSignal<ReloadConfigResponse | undefined>(undefined);
  const reload = async (): Promise<void> => {
    report.value = await admin.call('ReloadConfig', {});
    read.reload();
  };
  return (
    <View read={read}>
      {({ settings = {}, file = '', activeSince, reloadable = false }) => (
        <>
          <div class="row spread">
            <p class="muted">
              {file === '' ? 'No file' : <Text value={file} mono />}; became active <Time at={activeSince} />. Secrets
              are shown as ***.
            </p>
            <ActionButton
              label="Reload"
              icon="reload"
              title="Reload the configuration?"
              disabled={!reloadable}
              act={reload}
            >
              This replica reads <Text value={file} mono /> again and applies it. Connections stay open, and running
              tasks go on. A configuration with mistakes changes nothing.
            </ActionButton>
          </div>
          {report.value && <Said report={report.value} />}
          <Json label="Configuration" value={settings} depth={2} maxHeight="70vh" />
        </>
      )}
    </View>
  );
}

function Said({ report }: { readonly report: ReloadConfigResponse }): JSX.Element {
  const { added = [], changed = [], removed = [], endedStreams = 0, restart = [] } = report;
  const facts = [
    ...[added.length > 0 && `added ${added.join(', ')}`, changed.length > 0 && `changed ${changed.join(', ')}`],
    ...[removed.length > 0 && `removed ${removed.join(', ')}`, endedStreams > 0 && `ended ${endedStreams} streams`],
  ].filter(Boolean);
  return (
    <Notice severity={restart.length > 0 ? 'warning' : 'ok'}>
      The configuration was reloaded: {facts.join('; ') || 'no agent changed'}.
      {restart.length > 0 && ` After a restart: ${restart.join(', ')}.`}
    </Notice>
  );
}
