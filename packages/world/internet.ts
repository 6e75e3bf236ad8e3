import { HOMEBREW_INSTALL_SCRIPT } from './mac/builder/builder-part.ts';
import { runnerArchive } from './mac/builder/runner-state.ts';
import { tartBundle } from './mac/tart/tart-part.ts';
import { tarball } from './mac/unix/archive/tar.ts';
import type { HttpRequest, HttpResponse, OutboundNetwork } from './mac/unix/network/curl.ts';

/** Serves the hosts that a Mac's `curl` can reach: the downloads of a builder, and the simulated GitHub under its real name. */
export function createInternet(options: { readonly github: string }): OutboundNetwork['http'] {
  return async request => {
    if (request.url.hostname === 'api.github.com') return forward(request, options.github);
    const page = PAGES.find(({ url }) => url.test(request.url.href));
    return page?.answer(request.url.href);
  };
}

interface InternetPage {
  readonly url: RegExp;
  answer(url: string): HttpResponse;
}

const PAGES: readonly InternetPage[] = [
  {
    url: /^https:\/\/raw\.githubusercontent\.com\/Homebrew\/install\/[^/]+\/install\.sh$/,
    answer: () => ({ status: 200, body: HOMEBREW_INSTALL_SCRIPT }),
  },
  {
    url: /^https:\/\/github\.com\/actions\/runner\/releases\/download\/v[\d.]+\/actions-runner-osx-arm64-[\d.]+\.tar\.gz$/,
    answer: url => archive(runnerArchive(/-([\d.]+)\.tar\.gz$/.exec(url)?.[1])),
  },
  {
    url: /^https:\/\/github\.com\/(cirruslabs|openai)\/tart\/releases\/download\/[\d.]+\/tart\.tar\.gz$/,
    answer: url => archive(tartBundle(/download\/([\d.]+)\//.exec(url)?.[1])),
  },
  // The hosts exist, the path does not.
  { url: /^https:\/\/(raw\.githubusercontent|github)\.com\//, answer: () => ({ status: 404, body: 'Not Found' }) },
];

const archive = (files: Readonly<Record<string, Buffer | string>>): HttpResponse => ({
  status: 200,
  body: tarball(files),
});

async function forward(request: HttpRequest, base: string): Promise<HttpResponse> {
  const { method, headers, body, url } = request;
  const answer = await fetch(`${base}${url.pathname}${url.search}`, {
    method,
    headers: { 'user-agent': 'curl', ...headers },
    ...(body.length > 0 ? { body: Uint8Array.from(body) } : {}),
  });
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
}
