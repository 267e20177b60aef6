/** Frames to begin with: each loses something in older generations. */

export interface Example {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

const text = (value: unknown): string => JSON.stringify(value, undefined, 2);

const ids = { taskId: 'task-1', contextId: 'context-1' };

const message = {
  messageId: 'message-1',
  ...ids,
  role: 'ROLE_USER',
  parts: [
    { text: 'Compare these two reports.', metadata: { language: 'en' } },
    { url: 'https://files.example.com/q3.pdf', filename: 'q3.pdf', mediaType: 'application/pdf' },
  ],
  extensions: ['https://example.com/extensions/citations'],
  referenceTaskIds: ['task-0'],
};

const artifact = {
  artifactId: 'artifact-1',
  name: 'Comparison',
  description: 'What changed between the reports',
  parts: [{ data: { revenue: 1.07, costs: 0.98 } }, { text: 'Revenue grew by 7 %.' }],
  extensions: ['https://example.com/extensions/citations'],
};

const time = '2026-01-31T12:00:00.000Z';

export const examples: readonly Example[] = [
  {
    id: 'request',
    title: 'A request of A2A 1.0',
    text: text({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message, configuration: { acceptedOutputModes: ['application/json'], historyLength: 5 } },
    }),
  },
  {
    id: 'task',
    title: 'A task of A2A 1.0',
    text: text({
      id: ids.taskId,
      contextId: ids.contextId,
      status: { state: 'TASK_STATE_AUTH_REQUIRED', timestamp: time },
      artifacts: [artifact],
      history: [message],
    }),
  },
  {
    id: 'stream',
    title: 'A stream of A2A 0.3',
    text: [
      { kind: 'task', id: ids.taskId, contextId: ids.contextId, status: { state: 'submitted', timestamp: time } },
      {
        kind: 'artifact-update',
        ...ids,
        artifact: { artifactId: 'a', name: 'Draft', parts: [{ kind: 'text', text: 'Revenue' }] },
      },
      { kind: 'status-update', ...ids, status: { state: 'completed', timestamp: time }, final: true },
    ]
      .map((result, at) => `id: ${at + 1}\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n`)
      .join('\n'),
  },
];
