// Resolves links in docstrings to names that another entry point exports. For example, the errors of `paysession` are thrown by methods of
// all entry points.
import { Converter, ReflectionKind } from 'typedoc';

/** The priority of the handler: it runs after typedoc's own resolution. */
const LAST = -1_000;

/** @param {import('typedoc').Application} app */
export function load(app) {
  const resolve = ({ project }) => {
    const exported = project
      .getReflectionsByKind(ReflectionKind.SomeExport)
      .filter(({ parent }) => parent?.kindOf(ReflectionKind.SomeModule));
    for (const { comment } of Object.values(project.reflections)) {
      const texts = [comment?.summary, ...(comment?.blockTags ?? []).map(({ content }) => content)];
      for (const part of texts.flatMap((parts = []) => parts))
        if (part.kind === 'inline-tag' && part.target === undefined)
          part.target = exported.find(({ name }) => name === part.text);
    }
  };
  app.converter.on(Converter.EVENT_RESOLVE_END, resolve, LAST);
}
