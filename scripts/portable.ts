/**
 * Removes code that only servers need from pages: the binary codecs of protobuf, because pages do not speak gRPC, the
 * descriptors for reflection, and the positions of calls in the stacks of agents' errors.
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
  /** Some packages contain annotations that this bundler does not support. */
  onLog: (_level: string, { code }: { readonly code?: string | undefined }) =>
    code === 'INVALID_ANNOTATION' ? false : undefined,
});
