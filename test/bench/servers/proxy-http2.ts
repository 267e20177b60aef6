/** A plain reverse proxy on node:http2: forwards streams and their trailers, keeps nothing. Its argument is the port behind. */
import { connect, constants, createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { report } from './child.ts';

const behind = `http://127.0.0.1:${process.argv[2]}`;
const server = createServer();
server.on('session', (session) => {
  const onward = connect(behind);
  onward.on('error', () => session.destroy());
  session.on('close', () => onward.close());
  session.on('stream', (stream, headers) => {
    const request = onward.request(headers);
    let trailers: IncomingHttpHeaders = {};
    request.on('response', (head, flags) => {
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      stream.respond(head, { endStream, waitForTrailers: !endStream });
    });
    request.on('trailers', (last) => {
      trailers = last;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    request.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    stream.on('error', () => request.close());
    stream.pipe(request).pipe(stream);
  });
});
server.listen(0, '127.0.0.1', () => report({ grpc: (server.address() as AddressInfo).port }));
