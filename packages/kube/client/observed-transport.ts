import type { ApiRequest, Transport } from './transport.ts';

/** `code` is the HTTP status, or `<error>` when no answer came: as client-go counts. */
export type RequestObserver = (request: ApiRequest, code: string) => void;

/** Reports every request that is sent, including each attempt of a retried one. */
export function observed(transport: Transport, observe: RequestObserver): Transport {
  async function counted<T extends { status: number }>(request: ApiRequest, send: () => Promise<T>): Promise<T> {
    try {
      const answer = await send();
      observe(request, String(answer.status));
      return answer;
    } catch (error) {
      observe(request, '<error>');
      throw error;
    }
  }
  return {
    send: request => counted(request, () => transport.send(request)),
    open: request => counted(request, () => transport.open(request)),
    close: () => transport.close(),
  };
}
