import {
  isGuaranteeUntold,
  type AdoptPreview,
  type AskedPayment,
  type FoundPayment,
  type PaymentDifference,
} from '../../../src/protocol/messages/adopt-preview';
import { formatState, oneLine } from '../screen/output';
import { formatTable } from '../screen/table';
import { colorsOf, type Screen } from '../screen/terminal';

/** What the payment service says of a session, beside what was asked for, in lines. */
export function previewLines(preview: AdoptPreview, screen: Screen = process.stdout): readonly string[] {
  const { adoptable, refusal, found } = preview;
  const { green, red } = colorsOf(screen);
  const verdict = adoptable
    ? green('This session can be adopted.')
    : `${red(`This session cannot be adopted: ${refusal?.code ?? ''}.`)} ${oneLine(refusal?.message ?? '')}`;
  if (found === undefined) return [verdict];
  const caution = isGuaranteeUntold(preview)
    ? ['The payment service does not say whether this EFT is guaranteed.']
    : [];
  return [...comparison(preview, found, screen).split('\n'), ...caution, verdict];
}

function comparison(preview: AdoptPreview, found: FoundPayment, screen: Screen): string {
  const { asked, differences, untold = [] } = preview;
  const { red } = colorsOf(screen);
  const mark = (field: PaymentDifference) =>
    differences.includes(field)
      ? { text: 'differs', style: red }
      : untold.includes(field)
        ? 'not compared'
        : '';
  const kind = isGuaranteeUntold(preview) ? 'EFT, guaranteed or not' : (found.kind ?? found.type ?? '');
  return formatTable(
    ['FIELD', 'ASKED FOR', 'PAYMENT SERVICE', ''],
    [
      ['state', '', formatState(found), ''],
      ['amount', money(asked), money(found), mark('amount')],
      ['kind', asked.kind, kind, mark('type')],
      ['direction', asked.direction, found.direction ?? '', mark('direction')],
      ['reference', asked.referenceId ?? '', found.referenceId ?? '', mark('referenceId')],
      ['created', '', found.createdAt ?? '', ''],
    ],
    screen,
  );
}

const money = ({ amount, currency = '' }: AskedPayment | FoundPayment): string =>
  amount === undefined ? '' : `${amount} ${currency}`.trimEnd();
