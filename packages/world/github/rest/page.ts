import type { Call } from './route.ts';

const MOST_PER_PAGE = 100;
const USUAL_PER_PAGE = 30;

export const PAGING = ['per_page', 'page'] as const;

/** One page of a list and the `Link` header to the others. Anything beyond 100 per page is cut to 100 without a word. */
export function page<Item>(
  call: Call,
  items: readonly Item[],
): { readonly items: readonly Item[]; readonly headers: Record<string, string> } {
  const size = Math.min(positive(call.query.get('per_page'), USUAL_PER_PAGE), MOST_PER_PAGE);
  const number = positive(call.query.get('page'), 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const link = (rel: string, target: number): string => {
    const url = new URL(call.url);
    url.searchParams.set('page', String(target));
    return `<${url.href}>; rel="${rel}"`;
  };
  const links = [
    ...(number > 1 ? [link('prev', number - 1)] : []),
    ...(number < last ? [link('next', number + 1), link('last', last)] : []),
    ...(number > 1 ? [link('first', 1)] : []),
  ];
  return {
    items: items.slice((number - 1) * size, number * size),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  };
}

function positive(text: string | null, otherwise: number): number {
  const number = Number(text);
  return text !== null && Number.isInteger(number) && number > 0 ? number : otherwise;
}
