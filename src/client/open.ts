import type { AgentCard, SendMessageRequest } from '../core/model/a2a.ts';
import { type CallContext, defaultSemantics, type Invoke, type Quirks } from '../core/model/call.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { newId } from '../core/model/ids.ts';
import type { WireProtocol } from '../dialects/kernel/wire.ts';
import { extensions } from '../dialects/registry.ts';
import type { Operation } from '../gen/operations.ts';
import { markUnsent } from '../net/network-errors.ts';
import type { Binding, OpenOptions } from './bindings.ts';
import type { InterfaceChoice } from './choose.ts';

export interface InterfaceOptions extends Omit<OpenOptions, 'dialect' | 'quirks'> {
  /** The configured quirks of the agent's software. Default: they are detected with a request. */
  readonly quirks?: Quirks | undefined;
  /** Returns the agent's current card. Called for each call. */
  readonly card: () => AgentCard | undefined;
}

/**
 * Opens an interface in its dialect, with everything that calls to agents need over any binding: detection of the
 * agent's software, output modes, and the services of extensions.
 */
export async function openInterface(
  { binding, dialect }: InterfaceChoice,
  { quirks: configured, card, ...options }: InterfaceOptions,
): Promise<{ readonly invoke: Invoke; close(): Promise<void> }> {
  const detector = detectSoftware(dialect, binding.wireFormat, configured);
  const { quirks } = detector;
  const open = (protocol: WireProtocol): ReturnType<Binding['open']> =>
    binding.open({ ...options, dialect: protocol, ...(quirks && { quirks }) });
  const transport = await open(dialect);
  const services = extensionServices(open);
  const invoke = withOutputModes(dialect, card)(detector.wrap(transport.invoke));
  const byOperation = new Map(
    services.flatMap((service) => service.operations.map(({ name }) => [name, service.invoke] as const)),
  );
  return {
    invoke: (call) => (byOperation.get(call.operation) ?? invoke)(call),
    async close() {
      await Promise.all([transport.close(), ...services.map((service) => service.close())]);
    },
  };
}

/** The operations of the services of extensions. */
export const extensionOperations: readonly Operation[] = extensions.flatMap(({ grpc }) => grpc?.api.operations ?? []);

/** Creates the services of extensions at the same URL. Each is opened by its first call. */
function extensionServices(open: (protocol: WireProtocol) => ReturnType<Binding['open']>) {
  return extensions.flatMap((extension) => {
    if (!extension.grpc) return [];
    let opened: ReturnType<Binding['open']> | undefined;
    const invoke: Invoke = async (call) => {
      opened ??= open(extension);
      return (await opened).invoke(call);
    };
    return [{ operations: extension.grpc.api.operations, invoke, close: async () => (await opened)?.close() }];
  });
}

/** Errors of the detection request after which the call itself is not tried. */
const unreachableKinds: ReadonlySet<ErrorKind> = new Set([
  'upstreamUnreachable',
  'upstreamTimeout',
  'canceled',
  'deadlineExceeded',
]);

/**
 * Detects which software an agent runs, in dialects whose encoding depends on it: SDKs word the error for an unknown
 * task differently. A request for an unknown task is sent before the first call, with the credentials of that call. It
 * is repeated before the next call unless the agent answered that the task is not found.
 *
 * @param configured quirks from the configuration; if they include `base64Bytes`, no request is sent
 */
function detectSoftware({ software }: WireProtocol, format: Binding['wireFormat'], configured: Quirks = {}) {
  if (software === undefined || format === 'jsonrpc') return { wrap: (invoke: Invoke) => invoke };
  let quirks = configured;
  let known = configured.base64Bytes !== undefined;

  async function ask(invoke: Invoke, context: CallContext): Promise<void> {
    try {
      await invoke({
        operation: 'GetTask',
        request: { id: newId() },
        context: detectionContext(context, context.signal),
      });
      known = true;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (unreachableKinds.has(error.kind)) throw markUnsent(error);
      known = error.kind === 'taskNotFound';
      if (known) quirks = { ...software?.find((one) => one.answersSo(error))?.quirks, ...configured };
    }
  }

  return {
    quirks: () => quirks,
    wrap:
      (invoke: Invoke): Invoke =>
      async (call) => {
        if (!known) await ask(invoke, call.context);
        return invoke(call);
      },
  };
}

/** Copies the context of a call, without its idempotency key, replay position, semantics, extensions and notes. */
function detectionContext({ idempotencyKey: _, replay: __, ...context }: CallContext, signal: AbortSignal) {
  const notes = { extensions: new Set<string>(), losses: new Set<string>() };
  return { ...context, signal, semantics: defaultSemantics, extensions: [], notes };
}

/**
 * Middleware: adds all output modes of the agent's card to a message that lists none, because agents built with fasta2a
 * refuse a configuration without output modes.
 */
function withOutputModes(
  { namesOutputModes }: WireProtocol,
  card: () => AgentCard | undefined,
): (next: Invoke) => Invoke {
  if (!namesOutputModes) return (next) => next;
  return (next) => (call) => {
    const request = call.request as Partial<SendMessageRequest>;
    if (!request.message || request.configuration?.acceptedOutputModes) return next(call);
    const { defaultOutputModes = [], skills = [] } = card() ?? {};
    const modes = new Set([...defaultOutputModes, ...skills.flatMap(({ outputModes = [] }) => outputModes)]);
    if (modes.size === 0) return next(call);
    const configuration = { ...request.configuration, acceptedOutputModes: [...modes] };
    return next({ ...call, request: { ...request, configuration } as SendMessageRequest });
  };
}
