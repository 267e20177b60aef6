/**
 * Milliseconds for which a connection without calls stays open.
 *
 * The end of a connection over HTTP/1.1 may cross a request, and then it is unknown whether the request was carried
 * out: load balancers answer 502. So the balancer must close first. Many keep idle connections for a minute (Amazon's,
 * nginx), and this is a little longer. It is not much longer, because clients of HTTP/1.1 open a connection for each
 * call at a time, and each needs up to 18 KiB while it is idle.
 */
export const idleHttp1 = 65_000;

/**
 * Milliseconds for which an idle connection over HTTP/2 stays open. Its end names the calls that were carried out, so
 * that clients repeat the others safely. A client has one connection for all its calls, and a new one costs it a
 * handshake, so it may stay for longer. Balancers that keep idle connections for ten minutes (Google's) therefore need
 * HTTP/2 to the gateway.
 */
export const idleHttp2 = 15 * 60_000;
