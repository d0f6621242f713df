"""Centres of {x : A x <= b} by an outside solver, for comparison.

Reads from standard input: m n, then m lines of n + 1 numbers (a row of A and its b).
Prints the Chebyshev radius on one line and the analytic centre on the next. Exit code 77: cvxopt is not there.
"""
import sys

try:
    import cvxopt
    import cvxopt.solvers
except ImportError:
    sys.exit(77)


def main():
    numbers = sys.stdin.read().split()
    m, n = int(numbers[0]), int(numbers[1])
    rows = [[float(v) for v in numbers[2 + i * (n + 1):2 + (i + 1) * (n + 1)]] for i in range(m)]
    cvxopt.solvers.options.update(show_progress=False, abstol=1e-9, reltol=1e-9, feastol=1e-9)

    # max t  s.t.  a_i.x + t |a_i| <= b_i
    lengths = [sum(v * v for v in row[:n]) ** 0.5 for row in rows]
    G = cvxopt.matrix([[row[j] for row in rows] for j in range(n)] + [lengths])
    h = cvxopt.matrix([row[n] for row in rows])
    c = cvxopt.matrix([0.0] * n + [-1.0])
    largest = cvxopt.solvers.lp(c, G, h)
    if largest["status"] != "optimal":
        sys.exit("the linear programme ended as " + largest["status"])
    start = largest["x"][:n]
    print(repr(largest["x"][n]))

    # min -sum log(b - A x), from the Chebyshev centre
    A = cvxopt.matrix([[row[j] for row in rows] for j in range(n)])

    def barrier(x=None, z=None):
        if x is None:
            return 0, cvxopt.matrix(start)
        slack = h - A * x
        if min(slack) <= 0:
            return None, None
        inverse = slack ** -1
        value, gradient = -sum(cvxopt.log(slack)), (A.T * inverse).T
        if z is None:
            return value, gradient
        scaled = cvxopt.spdiag(inverse) * A
        return value, gradient, z[0] * scaled.T * scaled

    centre = cvxopt.solvers.cp(barrier)["x"]
    print(" ".join(repr(v) for v in centre))


main()
