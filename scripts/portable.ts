/**
 * Leaves out of pages what the gateway's code has for servers alone: the binary codecs of protobuf, since no page speaks gRPC,
 * the descriptors for reflection, and the places of calls in the stacks of agents' errors.
 */
export const withoutServerCode = () => ({
  name: 'without-server-code',
  enforce: 'pre' as const,
  load(id: string): string | null {
    if (/\/src\/gen\/[^/]+\/codecs\.ts$/.test(id)) return 'export const codecs = {};';
    if (/\/src\/gen\/(?:[^/]+\/)?image\.ts$/.test(id)) return "export const image = '';";
    if (/\/src\/core\/model\/stack\.ts$/.test(id)) {
      return 'export const authorFrames = () => []; export const sourceLocationOf = () => undefined;';
    }
    return null;
  },
  /** Packages have annotations that this bundler does not understand. */
  onLog: (_level: string, { code }: { readonly code?: string | undefined }) =>
    code === 'INVALID_ANNOTATION' ? false : undefined,
});
