import type { Message, Part, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from 'a2a-sdk-0.3';
import { type Client, ClientFactory, ClientFactoryOptions } from 'a2a-sdk-0.3/client';
import { GrpcTransportFactory } from 'a2a-sdk-0.3/client/grpc';

/** Clients of the official SDKs of A2A 0.2 and 0.3 for tests; their objects are alike. */

/** A client of the SDK of 0.3 for the card at a URL, over the transport that the card lists under this name. */
export function clientOf(
  cardUrl: string,
  protocol: string,
  clientConfig: ClientFactoryOptions['clientConfig'] = {},
): Promise<Client> {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new GrpcTransportFactory()],
    preferredTransports: [protocol],
    clientConfig,
  });
  return new ClientFactory(options).createFromUrl(cardUrl, '');
}

let messages = 0;

/** A user's message with a text or with whole parts, under an id of its own. */
export function userMessage(content: string | Part[], more: Partial<Message> = {}): Message {
  messages += 1;
  const parts: Part[] = typeof content === 'string' ? [{ kind: 'text', text: content }] : content;
  return { kind: 'message', messageId: `sdk-${messages}`, role: 'user', parts, ...more };
}

/** Results of the SDKs for a message, and for each event of a stream. */
export type StreamEvent = Message | Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent;

/** Throws TypeError when it is not a task. */
export function taskOf(result: StreamEvent): Task {
  if (result.kind !== 'task') throw new TypeError(`a ${result.kind}, not a task`);
  return result;
}

/** Throws TypeError when it is no message. */
export function messageOf(result: StreamEvent): Message {
  if (result.kind !== 'message') throw new TypeError(`a ${result.kind}, not a message`);
  return result;
}

/** The text of the first part. */
export const textOf = ([part]: readonly Part[]): string | undefined => (part?.kind === 'text' ? part.text : undefined);

/** The text of a task's first artifact. */
export const textOfArtifact = (task: Task): string | undefined => textOf(task.artifacts?.[0]?.parts ?? []);

/** Reads a stream to its end. */
export async function collect(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The states that events tell, with `!` where the stream is said to end; other events by their kind. */
export const outline = (events: readonly StreamEvent[]): string[] =>
  events.map((event) => {
    if (event.kind === 'task') return `task ${event.status.state}`;
    return event.kind === 'status-update' ? `${event.status.state}${event.final ? '!' : ''}` : event.kind;
  });
