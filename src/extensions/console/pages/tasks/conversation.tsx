import type { JSX } from 'preact';
import { useOpened } from '../../gateway/hooks.ts';
import { hrefOf } from '../../shell/router.ts';
import { ContextSession } from '../../tasks/context-session.ts';
import { rowsOf } from '../../tasks/context-tree.ts';
import { LiveMark } from '../../tasks/marks.tsx';
import { TaskTree } from '../../tasks/task-tree.tsx';
import { count } from '../../ui/format.ts';
import { Button, Copy, Empty, Page, Text } from '../../ui/index.ts';

/** All tasks of one conversation as a tree, with their course over time. */
export function Conversation({ contextId }: { readonly contextId: string }): JSX.Element {
  const [session, again] = useOpened(() => new ContextSession(contextId), contextId);
  const { list } = session;
  const rows = rowsOf(session.tree.value);
  const agents = new Set(rows.map(({ node }) => node.summary.agent));
  return (
    <Page
      title="Conversation"
      up={{ href: '#/tasks?view=conversations', title: 'Conversations' }}
      beside={<LiveMark stream={list.stream} />}
      busy={list.busy.value || session.reading.value}
      error={list.error.value}
      onRetry={again}
      actions={<a href={hrefOf('tasks', [], { context: contextId, view: 'list' })}>As a list</a>}
    >
      <p class="context-line">
        <Text value={contextId} mono /> <Copy value={contextId} label="Copy the id of the context" />
        <span class="muted" role="status">
          {rows.length > 0 &&
            `${count(rows.length)} ${rows.length === 1 ? 'task' : 'tasks'} of ${count(agents.size)} ${agents.size === 1 ? 'agent' : 'agents'}`}
          {session.unread.value > 0 && `, references of ${count(session.unread.value)} tasks are not read`}
        </span>
        {list.hasMore.value && (
          <Button kind="quiet" busy={list.busy.value} onClick={() => void list.more()}>
            Read older tasks
          </Button>
        )}
      </p>
      {rows.length > 0 ? (
        <TaskTree label="Tasks of the conversation" nodes={session.tree.value} maxHeight="calc(100vh - 12rem)" />
      ) : (
        !list.busy.value &&
        list.error.value === undefined && (
          <Empty title="No task has this context">The id may be wrong, or the tasks have expired.</Empty>
        )
      )}
    </Page>
  );
}
