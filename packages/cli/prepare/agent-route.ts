import { BlockList, isIPv6 } from 'node:net';
import { type Diagnosis, healthy, problem, unknown } from '../diagnosis/diagnosis.ts';

/** Port of the node agent, to which the API server connects for logs and exec. */
export const AGENT_PORT = 10_250;

/** Response to a request that the API server should forward to a Mac. */
export interface ForwardedResponse {
  /** HTTP status. */
  readonly code: number;
  /** `Status` if the API server itself responded; absent for a response of the Mac. */
  readonly kind?: string | undefined;
  readonly message: string;
}

/** Result of a connection from the API server to a Mac. */
export type AgentRoute =
  /** Packets pass in both directions. */
  { readonly kind: 'open'; readonly how: string } | { readonly kind: 'closed' | 'unknown'; readonly why: string };

/** Prefix of every failed connection, from the proxy transport of the API server. */
const UNREACHED = 'error trying to reach service: ';

/** A program on the Mac accepted the connection and then did not speak TLS as expected. */
const ACCEPTED =
  /^(?:read|write) tcp |EOF$|tls: |TLS handshake timeout|x509: |gave HTTP response|malformed HTTP|http2: /;
const REFUSED = /connection refused/;
const LOST = /no route to host|network is unreachable|host is down|time(?:d )?out|deadline exceeded|not permitted/;

/** Derives the route from the response. Only the API server knows why its connection failed, and only its text has the reason. */
export function judgeForwarding({ code, kind, message }: ForwardedResponse): AgentRoute {
  if (kind !== 'Status') return { kind: 'open', how: `a program responded with HTTP status ${code}` };
  if (!message.startsWith(UNREACHED)) return { kind: 'unknown', why: message };
  const why = message.slice(UNREACHED.length);
  // The HTTP proxy of the API server reports its own connections, which show nothing about the Mac.
  if (why.startsWith('proxyconnect ')) return { kind: 'unknown', why };
  if (ACCEPTED.test(why)) return { kind: 'open', how: 'a program accepted the connection' };
  if (REFUSED.test(why)) return { kind: 'open', how: 'connection refused, as expected without the node agent' };
  return { kind: LOST.test(why) ? 'closed' : 'unknown', why };
}

const NOT_FORWARDED = new BlockList();
NOT_FORWARDED.addSubnet('0.0.0.0', 32);
NOT_FORWARDED.addSubnet('127.0.0.0', 8);
NOT_FORWARDED.addSubnet('169.254.0.0', 16);
NOT_FORWARDED.addSubnet('224.0.0.0', 4);
NOT_FORWARDED.addAddress('255.255.255.255');
NOT_FORWARDED.addSubnet('::', 127, 'ipv6');
NOT_FORWARDED.addSubnet('fe80::', 10, 'ipv6');
NOT_FORWARDED.addSubnet('ff00::', 8, 'ipv6');

/** The API server forwards no request to a loopback, link-local or multicast address. */
export const isForwarded = (address: string): boolean =>
  !NOT_FORWARDED.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** Check of the connection from the API server to the Mac. */
export function checkAgentRoute(address: string, route: AgentRoute): Diagnosis {
  const check = `port ${AGENT_PORT}`;
  const place = isIPv6(address) ? `[${address}]:${AGENT_PORT}` : `${address}:${AGENT_PORT}`;
  switch (route.kind) {
    case 'open':
      return healthy(check, `the API server reaches ${place} (${route.how})`);
    case 'closed':
      return {
        ...problem(
          check,
          `the API server cannot reach ${place} (${route.why})`,
          `allow TCP ${AGENT_PORT} from the API server to the Mac in every firewall between them, and check the route; if the firewall of the Mac is in stealth mode, turn that off: sudo /usr/libexec/ApplicationFirewall/socketfilterfw --setstealthmode off`,
        ),
        impact: 'kubectl logs, exec and port-forward would not work for Pods on this Mac',
      };
    case 'unknown':
      return unknown(check, `not checked from the API server to ${place}: ${route.why}`);
  }
}
