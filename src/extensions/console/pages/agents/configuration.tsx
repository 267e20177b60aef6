import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ReloadConfigResponse } from '../../../../gen/admin-v1/types.ts';
import { admin } from '../../gateway/admin.ts';
import { messageOf } from '../../gateway/error.ts';
import { useRead } from '../../gateway/poll.ts';
import { Button, Confirm, Json, Notice, Text, Time } from '../../ui/index.ts';
import { View } from './view.tsx';

type Outcome = { readonly report: ReloadConfigResponse } | { readonly error: unknown };

/** The active configuration, and the button that reads its file again. */
export function Configuration(): JSX.Element {
  const read = useRead((signal) => admin.call('GetConfig', {}, { signal }));
  const asking = useSignal(false);
  const busy = useSignal(false);
  const outcome = useSignal<Outcome | undefined>(undefined);
  const reload = async (): Promise<void> => {
    busy.value = true;
    try {
      outcome.value = { report: await admin.call('ReloadConfig', {}) };
      read.reload();
    } catch (error) {
      outcome.value = { error };
    }
    busy.value = false;
    asking.value = false;
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
            <Button icon="reload" disabled={!reloadable} onClick={() => (asking.value = true)}>
              Reload
            </Button>
          </div>
          {outcome.value && <Said outcome={outcome.value} />}
          <Json label="Configuration" value={settings} depth={2} maxHeight="70vh" />
          <Confirm
            title="Reload the configuration?"
            open={asking.value}
            onClose={() => (asking.value = false)}
            action="Reload"
            busy={busy.value}
            onConfirm={reload}
          >
            This replica reads <Text value={file} mono /> again and applies it. Connections stay open, and running tasks
            go on. A configuration with mistakes changes nothing.
          </Confirm>
        </>
      )}
    </View>
  );
}

function Said({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  if ('error' in outcome) return <Notice severity="error">{messageOf(outcome.error)}</Notice>;
  const { added = [], changed = [], removed = [], endedStreams = 0, restart = [] } = outcome.report;
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
