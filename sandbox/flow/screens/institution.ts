import { INSTITUTIONS } from '../../sessions/banks';
import { radios } from './fields';
import type { Screen, View } from './view';

export function institutionScreen({ session, texts, error }: View): Screen {
  return {
    heading: texts.headings.institution,
    body: radios({
      name: 'institution',
      legend: texts.banks,
      choices: INSTITUTIONS.map(({ id, name }) => ({ value: id, label: name })),
      chosen: session.flow.institutionId,
      error: error('institution'),
    }),
    primary: texts.actions.continue,
  };
}
