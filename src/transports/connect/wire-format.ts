/** How messages are encoded and framed, by the media type of the request. */
export interface WireFormat {
  readonly mediaType: string;
  /** gRPC-Web; otherwise Connect's own protocol. */
  readonly web: boolean;
  readonly json: boolean;
  /** Messages have prefixes. Only the bodies of Connect's unary calls have none. */
  readonly enveloped: boolean;
  /** The whole body is base64, for browsers that cannot read bytes (gRPC-Web only). */
  readonly text: boolean;
}

const wireFormats = [
  'application/json',
  'application/proto',
  'application/connect+json',
  'application/connect+proto',
  'application/grpc-web',
  'application/grpc-web+proto',
  'application/grpc-web+json',
  'application/grpc-web-text',
  'application/grpc-web-text+proto',
].map((mediaType): WireFormat => {
  const web = mediaType.startsWith('application/grpc-web');
  const enveloped = web || mediaType.startsWith('application/connect+');
  return { mediaType, web, json: mediaType.endsWith('json'), enveloped, text: mediaType.includes('-text') };
});

const byMediaType = new Map(wireFormats.map((format) => [format.mediaType, format]));

/** The format that a request has; undefined for any other media type. */
export const wireFormatOf = (mediaType: string | undefined): WireFormat | undefined => byMediaType.get(mediaType ?? '');

/** Whether the format suits this kind of rpc: Connect has different formats for unary calls and streams. */
export const fits = (format: WireFormat, streaming: boolean): boolean => format.web || format.enveloped === streaming;

/** The media types that an rpc accepts, for `Accept-Post`. */
export const acceptable = (streaming: boolean): string =>
  wireFormats
    .filter((format) => fits(format, streaming))
    .map(({ mediaType }) => mediaType)
    .join(', ');
