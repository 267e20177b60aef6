import { describe, expect, it, vi } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { type Event, sdks } from './clients.ts';

/** Streams in which nothing happens for longer than connections are left alone, as the official SDKs read them. */

/** Moves the clock of the gateway's streams until the open ones have had a comment. */
async function bringComments(hasCome: () => boolean): Promise<void> {
  while (!hasCome()) {
    vi.advanceTimersByTime(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The text of a stream of the task's events, as it arrives. */
async function textOfStream(url: string, onText: (text: string) => void): Promise<string> {
  const answer = await fetch(url, { headers: { 'a2a-version': '1.0' } });
  let text = '';
  for await (const piece of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    text += piece;
    onText(text);
  }
  return text;
}

describe.each(sdks.filter(({ name }) => !name.includes('GRPC')))('a client of $name', ({ name, connect }) => {
  it(`a client of ${name} reads a stream to its end that was kept alive by comments`, async () => {
    // With timers of its own: those of a former test are gone.
    const gateway = await startGateway();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
    const client = await connect(gateway.origin);
    const events: Event[] = [];
    let witness: Promise<string> | undefined;
    let kept = false;
    for await (const event of client.stream('wait')) {
      events.push(event);
      if (witness || !('task' in event)) continue;
      const { id } = event.task;
      witness = textOfStream(`${gateway.origin}/tasks/${id}:subscribe`, (text) => {
        kept ||= /\n\n(?::\n)+$/.test(text);
      });
      await bringComments(() => kept);
      await client.cancel(id);
    }
    expect(events.at(-1)).toEqual({ status: expect.stringMatching(/^canceled!?$/) });
    // Nothing but comment lines between events, and none of them ends a block of its own.
    expect(await witness).toMatch(/^id: \d+\ndata: .*\n\n(?:(?::\n)*id: \d+\ndata: .*\n\n)+$/);
  });
});
