import { parser } from '@prometheus-io/lezer-promql';

/** Where Prometheus's own grammar no longer understands an expression: undefined when it understands all of it. */
export function promqlProblem(expr: string): string | undefined {
  let at: number | undefined;
  parser.parse(expr).iterate({
    enter(node) {
      if (node.type.isError) at ??= node.from;
    },
  });
  return at === undefined ? undefined : `is not PromQL from “${expr.slice(at, at + 20) || 'its end'}” on`;
}
