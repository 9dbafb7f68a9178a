// Resolves links in docstrings to names that another entry point exports, such as `paysession`'s errors, which methods of all entries throw.
import { Converter, ReflectionKind } from 'typedoc';

/** After typedoc's own resolution. */
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
