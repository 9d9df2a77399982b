/**
 * How long a bar is, and the lines across the bars by which that is read. If one ratio is more than twenty times another,
 * lengths are logarithms: a bar of 1 would not be seen beside one of 100. Lines stand at 1, 2 and 5 and the same with
 * noughts, as far apart as their figures need.
 *
 *   plotScale([1, 4], 400)      linear, lines at 0, 1, 2, 3, 4; 1 is 100 long
 *   plotScale([1, 350], 400)    logarithmic, from 0.5, since logarithms have no 0; lines at 0.5, 1, 2, 5, 10 … 200
 */

export interface PlotScale {
  readonly isLogarithmic: boolean;
  /** Never less than nothing. */
  readonly lengthOf: (ratio: number) => number;
  readonly ticks: readonly number[];
}

const MOST_LINEAR = 20;
const MOST_TICKS = 8;
/** The smallest bar is to be seen, too. */
const ROOM_FOR_LEAST = 1.5;

export function plotScale(ratios: readonly number[], longest: number): PlotScale {
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return most / least <= MOST_LINEAR ? linear(most, longest) : logarithmic(least, most, longest);
}

function linear(most: number, longest: number): PlotScale {
  const step = roundNumbers(most / MOST_TICKS, most).find((one) => most / one <= MOST_TICKS)!;
  const count = Math.floor(most / step) + 1;
  return {
    isLogarithmic: false,
    lengthOf: (ratio) => Math.max((longest * ratio) / most, 0),
    ticks: Array.from({ length: count }, (_, index) => index * step),
  };
}

function logarithmic(least: number, most: number, longest: number): PlotScale {
  const start = roundNumbers(least / 10, least / ROOM_FOR_LEAST).at(-1)!;
  const lengthOf = (ratio: number): number =>
    Math.max((longest * Math.log(ratio / start)) / Math.log(most / start), 0);
  const all = roundNumbers(start, most);
  const tens = all.filter((one) => Number.isInteger(Math.log10(one)));
  return { isLogarithmic: true, lengthOf, ticks: all.length > MOST_TICKS + 2 ? tens : all };
}

/** 0.1, 0.2, 0.5, 1, 2, 5, 10 …: those from one number to another. */
function roundNumbers(from: number, to: number): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power++) {
    for (const digit of [1, 2, 5]) found.push(Number(`${digit}e${power}`));
  }
  return found.filter((one) => one >= from && one <= to);
}
