// A measured figure: the median of its samples, with the middle half as the spread.

export interface Figure {
  median: number;
  /** The lower quartile. */
  low: number;
  /** The upper quartile. */
  high: number;
  samples: number;
}

/** The figure of at least one sample. */
export function toFigure(values: readonly number[]): Figure {
  const sorted = Float64Array.from(values).sort();
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    samples: values.length,
  };
}

export function median(values: readonly number[]): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}

/** The quantile at `share` of sorted values, interpolated linearly between the two nearest values. */
export function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}
