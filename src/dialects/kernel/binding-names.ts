/**
 * The names of bindings that people write and read: in configurations, on the command line and in cards. The work of a binding
 * is in its folder of `src/transports`.
 */

/** The names of bindings over which agents can be called. */
export type BindingName = 'jsonrpc' | 'rest' | 'grpc' | 'connect';

export const calledBindings = ['jsonrpc', 'rest', 'grpc', 'connect'] as const satisfies readonly BindingName[];

/**
 * Bindings in v1 cards (A2A 1.0.1 section 5.2.1), in the order in which cards prefer them: the part of a dialect that a binding
 * needs, by its name in cards.
 */
export const cardBindings = {
  JSONRPC: 'jsonrpc',
  'HTTP+JSON': 'rest',
  GRPC: 'grpc',
  'GRPC-WEB': 'grpc',
} as const satisfies Readonly<Record<string, 'jsonrpc' | 'rest' | 'grpc'>>;

export type CardBinding = keyof typeof cardBindings;
